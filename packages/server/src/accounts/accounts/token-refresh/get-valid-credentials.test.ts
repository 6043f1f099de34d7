import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import { type RefreshTestContext, startRefreshTestContext } from './test/refresh-test-context.ts'

describeOnBothDatabases('getValidCredentials', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    Object.assign(context.provider, {
      expiresIn: 3_600,
      graceMs: 0,
      beforeRotation: undefined,
      afterRotation: undefined,
    })
    context.provider.calls.length = 0
  })

  it('returns a valid token without a request to the provider', async () => {
    const expires = Date.now() + 100_000
    const { id, family } = await context.account({ row: { token_expires_at: expires } })
    const { grant } = await getValidCredentials(context.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.deepEqual(context.provider.calls, [])
  })

  it('refreshes a token that is about to expire, and stores the new one before it returns it', async () => {
    const { id, family } = await context.account()
    const oldRefreshToken = family.refreshToken
    const { grant } = await getValidCredentials(context.node(), id)
    assert.deepEqual(context.provider.calls, [oldRefreshToken])
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal(grant.config.scope, 'all')
    assert.deepEqual(await context.config(id), grant.config)
    const row = await context.row(id)
    assert.deepEqual(
      [row.credential_version, row.lease_owner, row.lease_until, row.refresh_sent_at, row.status],
      [2, null, null, null, 'active'],
    )
    assert.ok(Math.abs(Number(row.token_expires_at) - Date.now() - 3_600_000) < 5_000)
  })

  it('sends one token request for 200 callers on two nodes', async () => {
    const { id, family } = await context.account({ row: { token_expires_at: Date.now() - 1 } })
    const nodes = [context.node(), context.node()]
    const callers = Array.from({ length: 200 }, (_, index) => nodes[index % 2] ?? context.node())
    const results = await Promise.all(callers.map((node) => getValidCredentials(node, id)))
    assert.equal(context.provider.calls.length, 1)
    assert.deepEqual(
      new Set(results.map(({ grant }) => grant.config.access_token)),
      new Set([family.accessToken]),
    )
    assert.equal(context.provider.reuseCount(), 0)
  })
}
