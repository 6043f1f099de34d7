import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../test/refresh-test-context.ts'
import { createRotatingBundle } from '../test/rotating-bundle.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

describeOnBothDatabases(
  'a transient rejection by the token endpoint, for a bundle that refreshes tokens itself',
  defineTests,
)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.calls.length = 0
    context.provider.beforeRotation = undefined
  })

  /** Its CHECK refreshes too, as in bundles of the older kit, and does not return the new refresh token. */
  const createCode = () =>
    createRotatingBundle(createOAuthSpec(context.provider)).replace(
      "return { status: false, error: 'Command not found' }",
      `if (command !== 'CHECK') return { status: false, error: 'Command not found' }
  const { Authorization } = await headers(params.config)
  return Authorization === undefined ? { status: false, error: 'refused' } : { status: true, error: '' }`,
    )
  const connect = () =>
    context.account({
      code: createCode(),
      hasApp: false,
      row: { token_expires_at: null, refresh_at: null },
    })

  for (const status of [400, 401])
    it(`keeps the refresh token after one ${status}`, async () => {
      const { id, family } = await connect()
      context.provider.beforeRotation = (response) => {
        context.provider.beforeRotation = undefined
        response.writeHead(status).end('{"error":"invalid_grant"}')
        return true
      }
      const { headers } = await getAuthHeaders(context.node(), id)
      assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      assert.equal(context.provider.reuseCount(), 0)
      assert.equal((await context.config(id)).refresh_token, family.refreshToken)
      const { status: accountStatus, lease_owner } = await context.row(id)
      assert.deepEqual([accountStatus, lease_owner], ['active', null])
    })

  it('does not run CHECK when the retry fails for another reason', async () => {
    const { id, family } = await connect()
    let count = 0
    context.provider.beforeRotation = (response) => {
      count += 1
      if (count > 2) return false
      response.writeHead(count === 1 ? 400 : 503).end()
      return true
    }
    const node = context.node()
    await assert.rejects(getAuthHeaders(node, id), { code: 'provider_error' })
    assert.equal(context.provider.calls.length, 2)
    const { headers } = await getAuthHeaders(node, id)
    assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
  })

  it('sets needs_reauth when the retry and CHECK are rejected too', async () => {
    const { id, family } = await connect()
    family.isRevoked = true
    await assert.rejects(getAuthHeaders(context.node(), id), { code: 'needs_reauth' })
    assert.equal((await context.row(id)).status_reason, 'credentials_rejected')
  })
}
