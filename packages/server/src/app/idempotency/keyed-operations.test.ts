import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { countRows, expectCreated, expectOk, testContext } from '../../../test/test-context.ts'
import { SCOPES } from '../../access/auth/scopes.ts'
import type { StubProviderContext } from '../../connect/oauth-flow/test/stub-provider-context.ts'
import { KEYED_REQUESTS, KEYLESS_REQUESTS } from './test/keyed-requests.ts'

/** Operations whose response has a secret. */
const SECRET_OPERATIONS = [
  ...(['createUser', 'createToken', 'createConnectSession', 'startOAuth'] as const),
  ...(['createWebhookEndpoint', 'rotateWebhookSecret'] as const),
]

/** The proxy passes the header to the provider. */
const PROXIED = ['proxyPost', 'sendProxyRequest']

describeOnBothDatabases('Idempotency-Key', (newUrl) => {
  let t: StubProviderContext
  before(async () => {
    const url = await newUrl()
    t = await testContext({ provider: true, ...(url && { url }) })
  })
  after(() => t.close())

  const newSibling = () => t.createToken({ scopes: SCOPES, seconds: 20 })

  const listPosts = () => {
    const { paths } = t.app.swagger() as unknown as { paths: Record<string, { post?: Operation }> }
    return Object.values(paths).flatMap(({ post }) => (post === undefined ? [] : [post]))
  }

  /** Only `record()` stores the resource. */
  const isSettledWithEffect = async (operation: string) => {
    const row = await t.database.read
      .selectFrom('idempotency_keys')
      .select('resource')
      .where('operation', '=', operation)
      .executeTakeFirstOrThrow()
    return row.resource !== null
  }

  it('is documented for every POST, except those that change nothing', () => {
    const isDocumented = ({ parameters = [] }: Operation) =>
      parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key')
    const ids = (list: readonly Operation[]) => list.map(({ operationId }) => operationId).sort()
    const keyed = listPosts().filter(isDocumented)
    const keyless = listPosts().filter((one) => !isDocumented(one))
    assert.deepEqual(ids(keyed), Object.keys(KEYED_REQUESTS).sort())
    assert.deepEqual(ids(keyless), [...Object.keys(KEYLESS_REQUESTS), ...PROXIED].sort())
  })

  for (const [operation, createSample] of Object.entries(KEYED_REQUESTS))
    it(`${operation}: a retry has no effect and gets the same response`, async () => {
      const { path, body } = await createSample(t)
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const first = await t.call('POST', path, { body, headers })
      assert.ok(first.status === 200 || first.status === 201, first.text)
      assert.equal(first.headers['idempotent-replayed'], undefined)
      assert.ok(await isSettledWithEffect(operation), 'record() got no response')
      const changes = await countRows(t, 'audit_events')
      const sessions = await countRows(t, 'oauth_attempts')
      const retry = await t.call('POST', path, { body, headers })
      assert.deepEqual([retry.status, retry.text], [first.status, first.text])
      assert.equal(retry.headers['idempotent-replayed'], 'true')
      assert.equal(retry.headers['content-type'], first.headers['content-type'])
      assert.equal(await countRows(t, 'audit_events'), changes)
      assert.equal(await countRows(t, 'oauth_attempts'), sessions)
    })

  for (const operation of SECRET_OPERATIONS)
    it(`${operation}: 422 for a sibling token, which does not get the secret of the response`, async () => {
      const createSample = KEYED_REQUESTS[operation]
      assert.ok(createSample)
      const { path, body } = await createSample(t)
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const [token, sibling] = [await t.createToken({ scopes: SCOPES }), await newSibling()]
      const first = await t.call('POST', path, { body, headers, token })
      assert.ok(first.status === 200 || first.status === 201, first.text)
      const changes = await countRows(t, 'audit_events')
      for (const other of [sibling, t.token]) {
        const { text } = await t.call('POST', path, { body, headers, token: other })
        const { error } = JSON.parse(text)
        assert.equal(error, 'idempotency_key_reused')
        for (const value of listTexts(first.body))
          assert.ok(path.includes(value) || !text.includes(value), value)
      }
      assert.equal(await countRows(t, 'audit_events'), changes)
      const retry = await t.call('POST', path, { body, headers, token })
      assert.deepEqual([retry.status, retry.text], [first.status, first.text])
    })

  it('lists every operation whose response has a value that is returned once', () => {
    const { components } = t.app.swagger() as unknown as { components: { schemas: object } }
    const secretSchemas = Object.entries(components.schemas).flatMap(([name, schema]) =>
      /[Rr]eturned (?:only|this) once/.test(JSON.stringify(schema))
        ? [`"#/components/schemas/${name}"`]
        : [],
    )
    const found = listPosts().filter(({ responses }) => {
      const text = JSON.stringify(responses)
      return secretSchemas.some((reference) => text.includes(reference))
    })
    const expected = SECRET_OPERATIONS.filter((one) => one !== 'startOAuth')
    assert.deepEqual(found.map(({ operationId }) => operationId).sort(), expected.toSorted())
  })

  for (const [operation, createSample] of Object.entries(KEYLESS_REQUESTS))
    it(`${operation}: ignores the header`, async () => {
      const { path, body } = await createSample(t)
      const keys = await countRows(t, 'idempotency_keys')
      for (const key of ['a key', 'a key']) {
        const response = await t.call('POST', path, { body, headers: { 'idempotency-key': key } })
        assert.equal(response.status, 200, response.text)
        assert.equal(response.headers['idempotent-replayed'], undefined)
      }
      assert.equal(await countRows(t, 'idempotency_keys'), keys)
    })

  it('GET and DELETE ignore the header', async () => {
    const headers = { 'idempotency-key': 'two words' }
    expectOk(await t.call('GET', '/v1/link', { headers }))
    const body = { linkName: 'Customers' }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`, { headers }))
  })
})

/** The texts of a response that are long enough to be a secret, an id or a URL. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 20 ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

interface Operation {
  readonly responses: object
  readonly operationId: string
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}
