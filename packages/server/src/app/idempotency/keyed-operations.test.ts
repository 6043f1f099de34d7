import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { listApiOperations } from '../../../test/api-operations.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createSampleRequest } from '../../../test/sample-request.ts'
import { countRows, expectCreated, expectOk, testContext } from '../../../test/test-context.ts'
import { SCOPES } from '../../access/auth/caller.ts'
import type { StubProviderContext } from '../../connect/oauth-flow/test/stub-provider-context.ts'
import type { AuditAction } from '../../platform/record/change.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { OPERATIONS } from '../operations.ts'

const posts = (await listApiOperations()).filter(({ method }) => method === 'POST')
const keyed = posts.filter(({ isKeyed }) => isKeyed)

/** The proxy passes the header to the provider. */
const keyless = posts.filter(({ isKeyed, path }) => !isKeyed && !path.includes('/proxy'))

/** The URL that startOAuth returns is a capability. */
const secretOperations = keyed.filter(
  ({ operationId, returnsSecret }) => returnsSecret || operationId === 'startOAuth',
)

describeOnBothDatabases('Idempotency-Key', (newUrl) => {
  let t: StubProviderContext
  before(async () => {
    const url = await newUrl()
    t = await testContext({ provider: true, ...(url && { url }) })
  })
  after(() => t.close())

  const newSibling = () => t.createToken({ scopes: SCOPES, seconds: 20 })

  /** Only `record()` stores the resource. */
  const isSettledWithEffect = async (operationId: string) => {
    const row = await t.database.read
      .selectFrom('idempotency_keys')
      .select('resource')
      .where('operation', '=', operationId)
      .executeTakeFirstOrThrow()
    return row.resource !== null
  }

  /** What the audit trail has of an operation; of a bulk job not what it does in the background. */
  const countRecords = async (audit: AuditAction | undefined) => {
    if (audit === undefined) return 0
    const { count } = await selectAuditEntries(t.database.read)
      .select((eb) => eb.fn.countAll().as('count'))
      .where('action', '=', audit)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  it('is documented for every POST, except the proxy and those that declare to ignore it', () => {
    const ignoring = OPERATIONS.filter(({ config }) => config?.ignoresIdempotencyKey)
    const ids = ignoring.filter(({ path }) => !path.includes('/proxy')).map(({ id }) => id)
    assert.deepEqual(keyless.map(({ operationId }) => operationId).sort(), ids.sort())
    assert.ok(keyed.length > 20 && secretOperations.length > 5)
  })

  for (const { operationId, audit } of keyed)
    it(`${operationId}: a retry has no effect and gets the same response`, async () => {
      const { path, body } = await createSampleRequest(t, operationId)
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const first = await t.call('POST', path, { body, headers })
      assert.ok(first.status === 200 || first.status === 201, first.text)
      assert.equal(first.headers['idempotent-replayed'], undefined)
      assert.ok(await isSettledWithEffect(operationId), 'record() got no response')
      const changes = await countRecords(audit)
      const sessions = await countRows(t, 'oauth_sessions')
      const retry = await t.call('POST', path, { body, headers })
      assert.deepEqual([retry.status, retry.text], [first.status, first.text])
      assert.equal(retry.headers['idempotent-replayed'], 'true')
      assert.equal(retry.headers['content-type'], first.headers['content-type'])
      assert.equal(await countRecords(audit), changes)
      assert.equal(await countRows(t, 'oauth_sessions'), sessions)
    })

  for (const { operationId, audit } of secretOperations)
    it(`${operationId}: 422 for a sibling token, which does not get the secret of the response`, async () => {
      const { path, body } = await createSampleRequest(t, operationId)
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const [token, sibling] = [await t.createToken({ scopes: SCOPES }), await newSibling()]
      const first = await t.call('POST', path, { body, headers, token })
      assert.ok(first.status === 200 || first.status === 201, first.text)
      const changes = await countRecords(audit)
      for (const other of [sibling, t.token]) {
        const { text } = await t.call('POST', path, { body, headers, token: other })
        const { error } = JSON.parse(text)
        assert.equal(error, 'idempotency_key_reused')
        for (const value of listTexts(first.body))
          assert.ok(path.includes(value) || !text.includes(value), value)
      }
      assert.equal(await countRecords(audit), changes)
      const retry = await t.call('POST', path, { body, headers, token })
      assert.deepEqual([retry.status, retry.text], [first.status, first.text])
    })

  for (const { operationId } of keyless)
    it(`${operationId}: ignores the header`, async () => {
      const { path, body } = await createSampleRequest(t, operationId)
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
