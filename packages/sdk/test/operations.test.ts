import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  KEYED_REQUESTS,
  KEYLESS_REQUESTS,
} from '../../server/src/app/idempotency/test/keyed-requests.ts'
import { expectCreated } from '../../server/test/test-context.ts'
import { List } from '../src/list.ts'
import { COMBINED_METHODS, METHODS, PROXY_OPERATIONS } from './methods.ts'
import { type SdkTestContext, startSdkTestContext } from './sdk-test-context.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly queryNames: readonly string[]
}

/** Values of required query parameters. */
const REQUIRED_QUERIES: Readonly<Record<string, object>> = {
  exportCustomer: { accountIdentifier: 'customer-1' },
}

describe('The methods of the SDK', () => {
  let context: SdkTestContext
  let operations: ReadonlyMap<string, Operation>
  before(async () => {
    context = await startSdkTestContext()
    operations = listOperations(context.t.app.swagger())
  })
  after(() => context.t.close())

  it('are one for each operation of the API, and no others', () => {
    const documented = [...operations.keys()]
    assert.ok(documented.length > 60)
    assert.deepEqual(
      documented.toSorted(),
      [...Object.keys(METHODS), ...PROXY_OPERATIONS].toSorted(),
    )
    const expected = [...Object.values(METHODS), ...COMBINED_METHODS]
    assert.deepEqual(listMethods(context.linchpin), expected.toSorted())
  })

  for (const [operationId, name] of Object.entries(METHODS))
    it(`${name} sends ${operationId}, and returns the response of a real server`, async () => {
      const operation = operations.get(operationId)
      assert.ok(operation)
      const args = await createArguments(context, operationId, operation)
      context.sent.length = 0
      const result = await read(callMethod(context.linchpin, name, args))
      assert.notEqual(result, undefined)
      const [request] = context.sent
      assert.ok(request)
      assert.equal(findOperation(operations, request.method, request.url.pathname), operationId)
      const names = [...request.url.searchParams.keys()]
      assert.deepEqual(
        names.filter((one) => !operation.queryNames.includes(one)),
        [],
      )
      assert.equal(request.headers.has('idempotency-key'), request.method === 'POST')
    })
})

/** The arguments of the method of an operation: the IDs of its path, and its body or query. */
async function createArguments(
  { t }: SdkTestContext,
  operationId: string,
  { path }: Operation,
): Promise<unknown[]> {
  const createSample = KEYED_REQUESTS[operationId] ?? KEYLESS_REQUESTS[operationId]
  if (createSample !== undefined) {
    const sample = await createSample(t)
    const values = toPattern(path).exec(`/api${sample.path}`)?.slice(1) ?? []
    return sample.body === undefined ? values : [...values, sample.body]
  }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const known = await createResources(t, names)
  const query = REQUIRED_QUERIES[operationId]
  return [...names.map((name) => known[name]), ...(query === undefined ? [] : [query])]
}

async function createResources(
  t: SdkTestContext['t'],
  names: readonly string[],
): Promise<Record<string, string>> {
  const create = async (operationId: string) => {
    const sample = await KEYED_REQUESTS[operationId]?.(t)
    assert.ok(sample)
    const response = await t.call('POST', sample.path, { body: sample.body })
    return operationId === 'previewDefinition'
      ? { ...response.body, path: sample.path }
      : expectCreated(response)
  }
  const found: Record<string, string> = { workspaceId: t.workspaceId }
  if (names.includes('previewId')) {
    const { previewId, path } = await create('previewDefinition')
    return { previewId, integrationDefinitionId: path.split('/').at(-2) }
  }
  for (const [name, operationId] of Object.entries(CREATED_BY))
    if (names.includes(name)) found[name] = (await create(operationId))[name]
  if (names.includes('workspaceId'))
    found.workspaceId = (await create('createWorkspace')).workspaceId
  if (names.includes('eventId')) found.eventId = await createEvent(t, found.webhookEndpointId)
  return found
}

const CREATED_BY = {
  integrationAccountId: 'createAccount',
  integrationDefinitionId: 'createDefinition',
  integrationOAuthAppId: 'createOAuthApp',
  linkId: 'createLink',
  connectSessionId: 'createConnectSession',
  tokenId: 'createToken',
  webhookEndpointId: 'createWebhookEndpoint',
} as const

/** An event that is delivered to the endpoint, if there is one. */
async function createEvent(t: SdkTestContext['t'], endpointId: string | undefined) {
  const link = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
  for (;;) {
    const { body } = await t.call('GET', `/v1/event?subject=${link.linkId}&wait=5`)
    const eventId = body[0].id
    if (endpointId === undefined) return eventId
    const path = `/v1/webhook_endpoint/${endpointId}/delivery/${eventId}`
    if ((await t.call('GET', path)).status === 200) return eventId
  }
}

function callMethod(linchpin: object, name: string, args: readonly unknown[]): unknown {
  const [groupName = '', methodName = ''] = name.split('.')
  const group = (linchpin as Record<string, Record<string, (...all: unknown[]) => unknown>>)[
    groupName
  ]
  assert.ok(group?.[methodName], name)
  return group[methodName](...args)
}

/** Reads what a method returns to its end. */
async function read(result: unknown): Promise<unknown> {
  if (result instanceof List) return result.first(3)
  const value = await result
  return value instanceof Response ? value.text() : value
}

function listMethods(linchpin: object): string[] {
  return Object.entries(linchpin)
    .flatMap(([name, group]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(group))
        .filter((method) => method !== 'constructor')
        .map((method) => `${name}.${method}`),
    )
    .toSorted()
}

function listOperations(document: object): ReadonlyMap<string, Operation> {
  const { paths } = document as { paths: Record<string, Record<string, DocumentedOperation>> }
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [] }]) => {
        const queryNames = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
        return [operationId, { method: method.toUpperCase(), path, queryNames }]
      }),
    ),
  )
}

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}

/** The operation of a request; paths without parameters come first. */
function findOperation(operations: ReadonlyMap<string, Operation>, method: string, path: string) {
  const matching = [...operations].filter(
    ([, one]) => one.method === method && toPattern(one.path).test(path),
  )
  const [first] = matching.toSorted(([, a], [, b]) => countIds(a.path) - countIds(b.path))
  return first?.[0]
}

function countIds(path: string): number {
  return path.split('{').length
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
}
