import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../../test/access.ts'
import { auditOf, created, fine, refused } from '../../../test/fixtures.ts'
import { BASE_URL, newBrowser } from '../test/browser.ts'
import {
  ISSUER,
  isPage,
  json,
  returned,
  type StubWorld,
  startStubWorld,
} from '../test/stub-world.ts'
import { sweep } from '../test/sweep.ts'

const IDENTITY_BUNDLE = (url: string, auth: Record<string, unknown>) => `
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return { auth_specification: { OAuth2: ${JSON.stringify(auth)} } }
  if (command === 'CHECK') return { status: config.access_token !== 'refused', error: 'no' }
  if (command === 'IDENTITY') return { id: config.access_token.split('.')[0], label: '${url}' }
  return {}
}
`

describe('POST /v1/oauth/confirm', () => {
  let t: StubWorld
  let clock = 0
  const now = () => Date.now() + clock
  before(async () => {
    t = await startStubWorld({ now, code: IDENTITY_BUNDLE })
  })
  after(() => t.close())

  itGuards(() => t, 'POST', '/v1/oauth/confirm', {
    scope: 'accounts:write',
    body: { confirmToken: 'x' },
  })

  const confirm = (confirmToken: unknown, token = t.token) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken }, token })
  const tokens = (access: string) =>
    json(200, { access_token: access, refresh_token: `rt_${access}`, expires_in: 60 })
  const configOf = async (id: string) => {
    const token = await t.mint({ scopes: ['credentials:read'] })
    return (await t.call('GET', `/v1/integration_account/${id}/credentials`, { token })).body.config
  }
  const pending = async (body = {}) => {
    t.answer = tokens('alice.1')
    const { integrationAccountId: id = '', confirmToken = '' } = returned(
      await t.through({ confirm: true, ...body }),
    )
    return { id, confirmToken }
  }

  it('makes a pending account active, once', async () => {
    const { id, confirmToken } = await pending()
    assert.equal(fine(await t.call('GET', `/v1/integration_account/${id}`)).status, 'pending')
    assert.equal(fine(await confirm(confirmToken)).status, 'active')
    refused(await confirm(confirmToken), 'oauth_confirm_invalid')
  })

  it('tells wrong, foreign and late tokens alike, and the account ends when nobody confirms', async () => {
    const { id, confirmToken } = await pending()
    const other = await t.stranger()
    const foreign = refused(await confirm(confirmToken, other.token), 'oauth_confirm_invalid')
    const wrong = refused(await confirm('x'.repeat(43)), 'oauth_confirm_invalid')
    assert.equal(foreign.message, wrong.message)
    clock = 15 * 60_000 + 1
    refused(await confirm(confirmToken), 'oauth_confirm_invalid')
    await sweep(t, now)
    clock = 0
    const account = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.notEqual(account.deleted, null)
    assert.deepEqual(await auditOf(t, id), ['account.created', 'account.unconfirmed'])
  })

  it('is not needed in time when the background swept first: the account is erased', async () => {
    const { id } = await pending()
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
    const left = await database.read
      .selectFrom('oauth_attempts')
      .select('attempt_id')
      .where('sealed', 'is not', null)
      .execute()
    assert.deepEqual(left, [])
  })

  describe('a reconnect', () => {
    const connected = async () => {
      t.answer = tokens('alice.1')
      return returned(await t.through()).integrationAccountId ?? ''
    }

    it('keeps the id, and the old credentials until the host confirms the new', async () => {
      const id = await connected()
      t.answer = tokens('alice.2')
      const { confirmToken, integrationAccountId } = returned(
        await t.through({ integrationAccountId: id, integrationAccountName: null, confirm: true }),
      )
      assert.equal(integrationAccountId, id)
      assert.equal((await configOf(id)).access_token, 'alice.1')
      assert.equal(fine(await t.call('GET', `/v1/integration_account/${id}`)).status, 'active')
      const other = await t.stranger()
      refused(await confirm(confirmToken, other.token), 'oauth_confirm_invalid')
      const account = fine(await confirm(confirmToken))
      assert.deepEqual(
        [account.integrationAccountId, account.integrationAccountName],
        [id, 'An account'],
      )
      assert.equal((await configOf(id)).access_token, 'alice.2')
      refused(await confirm(confirmToken), 'oauth_confirm_invalid')
      assert.ok((await auditOf(t, id)).includes('account.reconnected'))
    })

    it('forgets what was brought when nobody confirms in time, and its token is no state and no page', async () => {
      const id = await connected()
      t.answer = tokens('alice.2')
      const { confirmToken = '' } = returned(
        await t.through({ integrationAccountId: id, confirm: true }),
      )
      isPage(await t.back({ state: confirmToken, code: 'c', iss: ISSUER }), 400)
      const page = `${BASE_URL}/oauth/connect/${confirmToken}`
      isPage(await t.browser.get(page), 404)
      isPage(await t.browser.post(page), 404)
      clock = 15 * 60_000 + 1
      refused(await confirm(confirmToken), 'oauth_confirm_invalid')
      clock = 0
      assert.equal((await configOf(id)).access_token, 'alice.1')
    })

    it('replaces at once without confirmation', async () => {
      const id = await connected()
      t.answer = tokens('alice.3')
      assert.equal(returned(await t.through({ integrationAccountId: id })).success, 'true')
      assert.equal((await configOf(id)).access_token, 'alice.3')
    })

    const failures = [
      ['the provider refuses', json(400, { error: 'invalid_grant' }), 'token_exchange_failed'],
      ['the integration refuses', tokens('refused'), 'credentials_rejected'],
      ['somebody else signs in', tokens('bob.1'), 'identity_mismatch'],
    ] as const
    for (const [name, answer, code] of failures)
      for (const needsConfirm of [true, false])
        it(`leaves the account as it was when ${name} (confirm: ${needsConfirm})`, async () => {
          const id = await connected()
          const before = fine(await t.call('GET', `/v1/integration_account/${id}`))
          t.answer = answer
          const body = { integrationAccountId: id, confirm: needsConfirm }
          assert.equal(returned(await t.through(body)).error, code)
          assert.deepEqual(fine(await t.call('GET', `/v1/integration_account/${id}`)), before)
          assert.equal((await configOf(id)).access_token, 'alice.1')
        })

    it('takes somebody else when that is asked for', async () => {
      const id = await connected()
      t.answer = tokens('bob.1')
      const body = { integrationAccountId: id, allowOtherIdentity: true }
      assert.equal(returned(await t.through(body)).success, 'true')
      assert.equal((await configOf(id)).access_token, 'bob.1')
    })

    it('finds nothing to replace when the account was deleted meanwhile', async () => {
      const id = await connected()
      const state = await t.begin(await t.start({ integrationAccountId: id }))
      fine(await t.call('DELETE', `/v1/integration_account/${id}`))
      t.tokenRequests.length = 0
      const visit = await t.back({ state, code: 'c', iss: ISSUER })
      assert.equal(returned(visit).error, 'oauth_attempt_invalid')
      assert.equal(t.tokenRequests.length, 0)
    })
  })

  describe('through a link', () => {
    const link = async (more = {}) =>
      created(await t.call('POST', '/v1/link', { body: { linkName: 'L', expiresIn: 60, ...more } }))
        .linkId

    it('adds the account to the link', async () => {
      t.answer = tokens('alice.1')
      const linkId = await link({ preferOAuth: true })
      const { integrationAccountId } = returned(await t.through({ linkId }))
      const { integrationAccounts } = fine(await t.call('GET', `/v1/link/${linkId}`))
      assert.equal(integrationAccounts[0].integrationAccountId, integrationAccountId)
    })

    it('is refused at the callback once the link has expired or was revoked, and asks no provider', async () => {
      for (const close of ['expire', 'revoke']) {
        const linkId = await link()
        const state = await t.begin(await t.start({ linkId }))
        const accounts = await t.accounts()
        t.tokenRequests.length = 0
        if (close === 'expire') clock = 60_000
        else fine(await t.call('DELETE', `/v1/link/${linkId}`))
        const { error } = returned(await t.back({ state, code: 'c', iss: ISSUER }))
        clock = 0
        assert.equal(error, close === 'expire' ? 'link_expired' : 'link_revoked')
        assert.equal(t.tokenRequests.length, 0)
        assert.equal(await t.accounts(), accounts)
      }
    })

    it('is refused when the link closes while the provider answers', async () => {
      const linkId = await link()
      const state = await t.begin(await t.start({ linkId }))
      const accounts = await t.accounts()
      t.answer = async (response) => {
        fine(await t.call('DELETE', `/v1/link/${linkId}`))
        await tokens('alice.1')(response)
      }
      const { error } = returned(await t.back({ state, code: 'c', iss: ISSUER }))
      assert.equal(error, 'link_revoked')
      assert.equal(await t.accounts(), accounts)
    })
  })

  it('ends on a page of ours without redirectURL, well or not, and its address has no code', async () => {
    t.answer = tokens('alice.1')
    const end = async (url: string | undefined) => {
      assert.match(url ?? '', /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
      isPage(await newBrowser(t.app).get(url ?? ''), 404)
      return t.browser.get(url ?? '')
    }
    const good = await end((await t.through({ redirectURL: null })).location)
    isPage(good, 200)
    assert.match(good.text, /Stub is connected/)
    const state = await t.begin(await t.start({ redirectURL: null }))
    const bad = await end((await t.back({ state, error: 'access_denied', iss: ISSUER })).location)
    isPage(bad, 200)
    assert.match(bad.text, /Stub was not connected/)
  })
})
