import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createSampleRequest } from '../../server/test/sample-request.ts'
import { Group } from '../src/group.ts'
import { List } from '../src/list.ts'
import { COMBINED_METHODS, METHODS, PROXY_OPERATIONS } from './methods.ts'
import { type SdkTestContext, startSdkTestContext } from './sdk-test-context.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly queryNames: readonly string[]
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
  operation: Operation,
): Promise<unknown[]> {
  const { path, body } = await createSampleRequest(t, operationId)
  const { pathname, searchParams } = new URL(`/api${path}`, 'http://service')
  const ids = toPattern(operation.path).exec(pathname)?.slice(1) ?? []
  const query = searchParams.size === 0 ? undefined : Object.fromEntries(searchParams)
  return [...ids, body, query].filter((one) => one !== undefined)
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
      listPrototypes(group)
        .flatMap((prototype) => Object.getOwnPropertyNames(prototype))
        .filter((method) => method !== 'constructor')
        .map((method) => `${name}.${method}`),
    )
    .toSorted()
}

/** The prototypes below that of `Group`, whose methods are not public. */
function listPrototypes(object: object): object[] {
  const prototype = Object.getPrototypeOf(object)
  return prototype === Group.prototype ? [] : [prototype, ...listPrototypes(prototype)]
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
