import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { auditOf, countRows, created, fine, refused } from '../../test/fixtures.ts'
import { BASE_URL, newBrowser } from './test/browser.ts'
import { HOME, type OAuthWorld, startOAuthWorld } from './test/oauth-world.ts'

describe('a connection by sign-in', () => {
  let t: OAuthWorld
  before(async () => {
    t = await startOAuthWorld()
  })
  after(() => t.close())

  it('goes from start to a pending account that the host confirms', async () => {
    const page = await t.start({ accountIdentifier: 'customer-17' })
    assert.match(page, /^http:\/\/localhost:3000\/oauth\/connect\/[\w-]{43}$/)
    const { status, location } = await t.browser.connect(page)
    assert.equal(status, 303)
    const back = new URL(location ?? '')
    assert.ok(back.href.startsWith(HOME))
    const {
      integrationAccountId: id,
      confirmToken,
      ...rest
    } = Object.fromEntries(back.searchParams)
    assert.deepEqual(rest, {
      tab: '1',
      success: 'true',
      integrationName: 'Acme Books',
      accountIdentifier: 'customer-17',
    })
    const pending = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(pending.status, 'pending')
    const account = fine(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
    assert.equal(account.integrationAccountId, id)
    assert.deepEqual([account.status, account.statusReason], ['active', null])
    assert.equal(account.authType, 'OAuth2')
    assert.deepEqual(await auditOf(t, String(id)), ['account.created', 'account.confirmed'])
    const row = await t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', String(id))
      .executeTakeFirstOrThrow()
    assert.equal(row.identity_id, 'alice')
    assert.equal(row.oauth_app_id, t.appId)
    assert.ok((row.token_expires_at ?? 0) > Date.now() && (row.renew_at ?? 0) > Date.now())
    assert.ok((row.renew_at ?? 0) < (row.token_expires_at ?? 0))
  })
})
void [countRows, created, refused, BASE_URL, newBrowser]
