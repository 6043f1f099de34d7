import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { readAccountRow } from '../../../test/account-rows.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  countRows,
  expectError,
  expectOk,
  listAuditActions,
  testContext,
} from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { newBrowser } from './test/browser.ts'
import { type OAuthTestContext, RETURN_URL } from './test/oauth-test-context.ts'

describeOnBothDatabases('an OAuth connection', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: OAuthTestContext
  before(async () => {
    t = await testContext({ oauth: true, url: await newUrl() })
  })
  after(() => t.close())

  it('leads from start to a pending account that the host application confirms', async () => {
    const page = await t.start({ accountIdentifier: 'customer-17' })
    assert.match(page, /^http:\/\/localhost:3000\/oauth\/connect\/[\w-]{43}$/)
    const { status, location } = await t.browser.connect(page)
    assert.equal(status, 303)
    const returnUrl = new URL(location ?? '')
    assert.ok(returnUrl.href.startsWith(RETURN_URL))
    const { integrationAccountId, confirmToken, ...rest } = Object.fromEntries(
      returnUrl.searchParams,
    )
    assert.deepEqual(rest, {
      tab: '1',
      success: 'true',
      integrationName: 'Acme Books',
      accountIdentifier: 'customer-17',
    })
    const id = integrationAccountId as AccountId
    const pending = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(pending.status, 'pending')
    const account = expectOk(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
    assert.equal(account.integrationAccountId, id)
    assert.deepEqual([account.status, account.statusReason], ['active', null])
    assert.equal(account.authType, 'OAuth2')
    assert.deepEqual(await listAuditActions(t, id), ['account.created', 'account.confirmed'])
    const repeated = await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
    expectError(repeated, 'oauth_confirm_invalid')
    await expectRefreshColumns(t, id)
  })

  it('creates one account with one token request for 100 concurrent callbacks', async () => {
    const accounts = await countRows(t, 'accounts')
    const calls = () => t.provider.requests.filter((request) => request === 'POST /token').length
    const before = calls()
    const callback = await t.browser.signIn(await t.browser.begin(await t.start()))
    const visits = await Promise.all(Array.from({ length: 100 }, () => t.browser.get(callback)))
    assert.equal(visits.filter(({ status }) => status === 303).length, 1)
    assert.equal(visits.filter(({ status }) => status === 400).length, 99)
    assert.equal(calls() - before, 1)
    assert.equal(await countRows(t, 'accounts'), accounts + 1)
  })

  it('reconnects the same account with new tokens', async () => {
    const body = { confirm: false, accountIdentifier: 'customer-18' }
    const first = new URL((await t.browser.connect(await t.start(body))).location ?? '')
    const id = first.searchParams.get('integrationAccountId')
    const page = await t.start({
      integrationAccountId: id,
      confirm: false,
      integrationAccountName: null,
    })
    const second = new URL((await newBrowser(t.app).connect(page)).location ?? '')
    assert.equal(second.searchParams.get('integrationAccountId'), id)
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual(
      [account.accountIdentifier, account.integrationAccountName],
      ['customer-18', 'Books of North'],
    )
  })
}

async function expectRefreshColumns(t: OAuthTestContext, id: AccountId): Promise<void> {
  const row = await readAccountRow(t.database, id)
  assert.equal(row.identity_id, 'alice')
  assert.equal(row.oauth_app_id, t.appId)
  const [expiresAt, refreshesAt] = [row.token_expires_at ?? 0, row.refresh_at ?? 0]
  assert.ok(refreshesAt > Date.now() && refreshesAt < expiresAt)
}
