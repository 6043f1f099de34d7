import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  testContext,
} from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { BASE_URL, newBrowser } from './test/browser.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from './test/stub-provider-context.ts'
import { sweep } from './test/sweep.ts'

const IDENTITY_BUNDLE = (url: string, auth: Record<string, unknown>) => `
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return { auth_specification: { OAuth2: ${JSON.stringify(auth)} } }
  if (command === 'CHECK') return { status: config.access_token !== 'refused', error: 'no' }
  if (command === 'IDENTITY') return { id: config.access_token.split('.')[0], label: '${url}' }
  return {}
}
`

describe('POST /v1/oauth/confirm', () => {
  let t: StubProviderContext
  let clock = 0
  const now = () => Date.now() + clock
  before(async () => {
    t = await testContext({ provider: { code: IDENTITY_BUNDLE }, now })
  })
  after(() => t.close())

  itRequiresScope(() => t, 'POST', '/v1/oauth/confirm', {
    scope: 'accounts:write',
    body: { confirmToken: 'x' },
  })

  const confirm = (confirmToken: unknown, token = t.token) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken }, token })
  const tokens = (access: string) =>
    respondWithJson(200, { access_token: access, refresh_token: `rt_${access}`, expires_in: 60 })
  const getConfig = async (id: AccountId) => {
    const token = await t.createToken({ scopes: ['credentials:read'] })
    return (await t.call('GET', `/v1/integration_account/${id}/credentials`, { token })).body.config
  }
  const connectPending = async (body = {}) => {
    t.respondToToken = tokens('alice.1')
    const { integrationAccountId: id, confirmToken = '' } = getReturnParams(
      await t.completeFlow({ confirm: true, ...body }),
    )
    return { id, confirmToken }
  }

  it('activates a pending account once', async () => {
    const { id, confirmToken } = await connectPending()
    assert.equal(expectOk(await t.call('GET', `/v1/integration_account/${id}`)).status, 'pending')
    assert.equal(expectOk(await confirm(confirmToken)).status, 'active')
    expectError(await confirm(confirmToken), 'oauth_confirm_invalid')
  })

  it('400: the same error for wrong, foreign and expired tokens; the unconfirmed account expires', async () => {
    const { id, confirmToken } = await connectPending()
    const other = await t.otherUser()
    const otherUserError = expectError(
      await confirm(confirmToken, other.token),
      'oauth_confirm_invalid',
    )
    const unknownTokenError = expectError(await confirm('x'.repeat(43)), 'oauth_confirm_invalid')
    assert.equal(otherUserError.message, unknownTokenError.message)
    clock = 15 * 60_000 + 1
    expectError(await confirm(confirmToken), 'oauth_confirm_invalid')
    await sweep(t, now)
    clock = 0
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.notEqual(account.deleted, null)
    assert.deepEqual(await listAuditActions(t, id), ['account.created', 'account.unconfirmed'])
  })

  it('400: an account that the background sweep has erased', async () => {
    const { id } = await connectPending()
    clock = 16 * 60_000
    await sweep(t, now)
    clock = 0
    const { database } = t
    const row = await database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.sealed_config, row.public_config, row.confirm_hash], [null, null, null])
    const erasedRow = await database.read
      .selectFrom('oauth_sessions')
      .select('attempt_id')
      .where('sealed', 'is not', null)
      .execute()
    assert.deepEqual(erasedRow, [])
  })

  describe('POST /v1/oauth/confirm: a reconnect', () => {
    const connectAccount = async () => {
      t.respondToToken = tokens('alice.1')
      return getReturnParams(await t.completeFlow()).integrationAccountId
    }

    it('keeps the account ID, and the old credentials until the host application confirms the new ones', async () => {
      const id = await connectAccount()
      t.respondToToken = tokens('alice.2')
      const { confirmToken, integrationAccountId } = getReturnParams(
        await t.completeFlow({
          integrationAccountId: id,
          integrationAccountName: null,
          confirm: true,
        }),
      )
      assert.equal(integrationAccountId, id)
      assert.equal((await getConfig(id)).access_token, 'alice.1')
      assert.equal(expectOk(await t.call('GET', `/v1/integration_account/${id}`)).status, 'active')
      const other = await t.otherUser()
      expectError(await confirm(confirmToken, other.token), 'oauth_confirm_invalid')
      const account = expectOk(await confirm(confirmToken))
      assert.deepEqual(
        [account.integrationAccountId, account.integrationAccountName],
        [id, 'An account'],
      )
      assert.equal((await getConfig(id)).access_token, 'alice.2')
      expectError(await confirm(confirmToken), 'oauth_confirm_invalid')
      assert.ok((await listAuditActions(t, id)).includes('account.reconnected'))
    })

    it('erases unconfirmed credentials, and its token is valid neither as a state nor as a page token', async () => {
      const id = await connectAccount()
      t.respondToToken = tokens('alice.2')
      const { confirmToken = '' } = getReturnParams(
        await t.completeFlow({ integrationAccountId: id, confirm: true }),
      )
      expectPage(await t.callback({ state: confirmToken, code: 'c', iss: ISSUER }), 400)
      const page = `${BASE_URL}/oauth/connect/${confirmToken}`
      expectPage(await t.browser.get(page), 404)
      expectPage(await t.browser.post(page), 404)
      clock = 15 * 60_000 + 1
      expectError(await confirm(confirmToken), 'oauth_confirm_invalid')
      clock = 0
      assert.equal((await getConfig(id)).access_token, 'alice.1')
    })

    it('replaces the credentials immediately without confirmation', async () => {
      const id = await connectAccount()
      t.respondToToken = tokens('alice.3')
      assert.equal(
        getReturnParams(await t.completeFlow({ integrationAccountId: id })).success,
        'true',
      )
      assert.equal((await getConfig(id)).access_token, 'alice.3')
    })

    const failures = [
      [
        'the provider rejects the code',
        respondWithJson(400, { error: 'invalid_grant' }),
        'token_exchange_failed',
      ],
      ['the integration rejects the tokens', tokens('refused'), 'credentials_rejected'],
      ['a different user signs in', tokens('bob.1'), 'identity_mismatch'],
    ] as const
    for (const [name, responder, code] of failures)
      for (const needsConfirm of [true, false])
        it(`does not change the account when ${name} (confirm: ${needsConfirm})`, async () => {
          const id = await connectAccount()
          const before = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
          t.respondToToken = responder
          const body = { integrationAccountId: id, confirm: needsConfirm }
          assert.equal(getReturnParams(await t.completeFlow(body)).error, code)
          assert.deepEqual(expectOk(await t.call('GET', `/v1/integration_account/${id}`)), before)
          assert.equal((await getConfig(id)).access_token, 'alice.1')
        })

    it('accepts a different user with allowOtherIdentity', async () => {
      const id = await connectAccount()
      t.respondToToken = tokens('bob.1')
      const body = { integrationAccountId: id, allowOtherIdentity: true }
      assert.equal(getReturnParams(await t.completeFlow(body)).success, 'true')
      assert.equal((await getConfig(id)).access_token, 'bob.1')
    })

    it('fails when the account was deleted in the meantime', async () => {
      const id = await connectAccount()
      const state = await t.begin(await t.start({ integrationAccountId: id }))
      expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
      t.tokenRequests.length = 0
      const response = await t.callback({ state, code: 'c', iss: ISSUER })
      assert.equal(getReturnParams(response).error, 'oauth_attempt_invalid')
      assert.equal(t.tokenRequests.length, 0)
    })
  })

  describe('POST /v1/oauth through a link', () => {
    const createLink = async (overrides = {}) =>
      expectCreated(
        await t.call('POST', '/v1/link', { body: { linkName: 'L', expiresIn: 60, ...overrides } }),
      ).linkId

    it('adds the account to the link', async () => {
      t.respondToToken = tokens('alice.1')
      const linkId = await createLink({ preferOAuth: true })
      const { integrationAccountId } = getReturnParams(await t.completeFlow({ linkId }))
      const { integrationAccounts } = expectOk(await t.call('GET', `/v1/link/${linkId}`))
      assert.equal(integrationAccounts[0].integrationAccountId, integrationAccountId)
    })

    it('fails at the callback once the link has expired or was revoked, without a request to the provider', async () => {
      for (const close of ['expire', 'revoke']) {
        const linkId = await createLink()
        const state = await t.begin(await t.start({ linkId }))
        const accounts = await t.countAccounts()
        t.tokenRequests.length = 0
        if (close === 'expire') clock = 60_000
        else expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
        const { error } = getReturnParams(await t.callback({ state, code: 'c', iss: ISSUER }))
        clock = 0
        assert.equal(error, close === 'expire' ? 'link_expired' : 'link_revoked')
        assert.equal(t.tokenRequests.length, 0)
        assert.equal(await t.countAccounts(), accounts)
      }
    })

    it('fails when the link is revoked during the token exchange', async () => {
      const linkId = await createLink()
      const state = await t.begin(await t.start({ linkId }))
      const accounts = await t.countAccounts()
      t.respondToToken = async (response) => {
        expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
        await tokens('alice.1')(response)
      }
      const { error } = getReturnParams(await t.callback({ state, code: 'c', iss: ISSUER }))
      assert.equal(error, 'link_revoked')
      assert.equal(await t.countAccounts(), accounts)
    })
  })

  it('ends on a finish page without a redirectURL, whose URL contains no code', async () => {
    t.respondToToken = tokens('alice.1')
    const openFinishPage = async (url: string | undefined) => {
      assert.match(url ?? '', /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
      expectPage(await newBrowser(t.app).get(url ?? ''), 404)
      return t.browser.get(url ?? '')
    }
    const connectedPage = await openFinishPage(
      (await t.completeFlow({ redirectURL: null })).location,
    )
    expectPage(connectedPage, 200)
    assert.match(connectedPage.text, /Stub is connected/)
    const state = await t.begin(await t.start({ redirectURL: null }))
    const failedPage = await openFinishPage(
      (await t.callback({ state, error: 'access_denied', iss: ISSUER })).location,
    )
    expectPage(failedPage, 200)
    assert.match(failedPage.text, /Stub was not connected/)
  })
})
