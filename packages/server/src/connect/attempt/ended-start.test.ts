import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fine, refused } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import {
  ISSUER,
  isPage,
  json,
  returned,
  type StubWorld,
  startStubWorld,
} from '../test/stub-world.ts'

describe('a start whose ground is gone, on SQLite', () => keepsItsPromises(async () => ({})))

describePostgres('a start whose ground is gone, on PostgreSQL', (server) =>
  keepsItsPromises(async () => ({ url: await server().createDatabase('ended_start') })),
)

function keepsItsPromises(options: () => Promise<{ url?: string }>): void {
  let t: StubWorld
  let clock = 0
  const tokens = json(200, { access_token: 'at', refresh_token: 'rt' })
  before(async () => {
    t = await startStubWorld({ ...(await options()), now: () => Date.now() + clock })
  })
  after(() => t.close())
  beforeEach(() => {
    clock = 0
    t.tokenRequests.length = 0
    t.answer = tokens
  })

  /** A token, and what ends it. */
  async function minted(body: Record<string, unknown> = {}) {
    const given = { name: 'host', ...body }
    const made = (await t.call('POST', '/v1/user/token', { body: given })).body
    const revoke = async () => fine(await t.call('DELETE', `/v1/user/token/${made.tokenId}`))
    return { token: String(made.token), revoke }
  }
  const back = (state: string) => t.back({ state, code: 'c', iss: ISSUER })
  const confirm = (confirmToken: unknown) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
  const statusOf = async (id: unknown) =>
    fine(await t.call('GET', `/v1/integration_account/${id}`)).status
  const deleted = (at: number | null) =>
    t.database.transaction((trx) =>
      trx
        .updateTable('workspaces')
        .set({ deleted_at: at })
        .where('workspace_id', '=', t.workspaceId)
        .execute(),
    )

  it('is refused on its page once the token was revoked, and the page says who took it back', async () => {
    const { token, revoke } = await minted()
    const page = await t.start({}, token)
    isPage(await t.browser.get(page), 200)
    await revoke()
    for (const visit of [await t.browser.get(page), await t.browser.post(page)]) {
      isPage(visit, 400)
      assert.match(visit.text, /<bdi>North<\/bdi> has taken back what it asked for/)
      assert.equal(visit.headers.get('set-cookie'), null)
    }
  })

  it('is refused at the callback, and asks no provider', async () => {
    const { token, revoke } = await minted()
    const accounts = await t.accounts()
    const state = await t.begin(await t.start({}, token))
    await revoke()
    assert.equal(returned(await back(state)).error, 'oauth_start_revoked')
    assert.equal(t.tokenRequests.length, 0)
    assert.equal(await t.accounts(), accounts)
  })

  it('is refused with a token that was minted by the one that was revoked', async () => {
    const parent = await minted({ scopes: ['tokens', 'read', 'write'] })
    const child = await t.call('POST', '/v1/user/token', {
      body: { name: 'child', scopes: ['write'] },
      token: parent.token,
    })
    const state = await t.begin(await t.start({}, child.body.token))
    await parent.revoke()
    assert.equal(returned(await back(state)).error, 'oauth_start_revoked')
  })

  it('makes no account when the token is revoked while the provider answers', async () => {
    const { token, revoke } = await minted()
    const accounts = await t.accounts()
    const state = await t.begin(await t.start({}, token))
    t.answer = async (response) => {
      await revoke()
      await tokens(response)
    }
    assert.equal(returned(await back(state)).error, 'oauth_start_revoked')
    assert.equal(await t.accounts(), accounts)
  })

  it('is refused when it is to be confirmed: the account stays pending', async () => {
    const { token, revoke } = await minted()
    const state = await t.begin(await t.start({ confirm: true }, token))
    const { confirmToken, integrationAccountId: id } = returned(await back(state))
    await revoke()
    refused(await confirm(confirmToken), 'oauth_start_revoked')
    assert.equal(await statusOf(id), 'pending')
    refused(await confirm(confirmToken), 'oauth_start_revoked')
  })

  it('is refused when a reconnect is to be confirmed: the account keeps what it had', async () => {
    const id = returned(await t.through()).integrationAccountId
    const { token, revoke } = await minted()
    const reconnect = { integrationAccountId: id, confirm: true }
    const { confirmToken } = returned(await back(await t.begin(await t.start(reconnect, token))))
    await revoke()
    refused(await confirm(confirmToken), 'oauth_start_revoked')
    const { credential_version } = await t.database.read
      .selectFrom('accounts')
      .select('credential_version')
      .where('account_id', '=', String(id))
      .executeTakeFirstOrThrow()
    assert.equal(credential_version, 1)
  })

  it('finishes when the token has only expired: its time says how long it may start', async () => {
    const { token } = await minted({ seconds: 60 })
    const state = await t.begin(await t.start({ confirm: true }, token))
    clock = 61_000
    refused(await t.call('GET', '/v1/user', { token }), 'token_invalid')
    const { confirmToken, integrationAccountId: id } = returned(await back(state))
    fine(await confirm(confirmToken))
    assert.equal(await statusOf(id), 'active')
  })

  it('is refused on its page, at the callback and when confirmed once the workspace is gone', async () => {
    const accounts = await t.accounts()
    const page = await t.start()
    const state = await t.begin(await t.start())
    const waiting = await t.begin(await t.start({ confirm: true }))
    const { confirmToken } = returned(await back(waiting))
    t.tokenRequests.length = 0
    await deleted(1)
    isPage(await t.browser.get(page), 404)
    const visit = await back(state)
    assert.match(visit.location ?? '', /\/oauth\/finished\//)
    isPage(await t.browser.get(visit.location ?? ''), 404)
    refused(await confirm(confirmToken), 'oauth_confirm_invalid')
    await deleted(null)
    assert.equal(t.tokenRequests.length, 0)
    assert.equal(await t.accounts(), accounts + 1)
  })

  it('sends nobody back where the workspace does not want people any more', async () => {
    const settle = async (allowedRedirectURLs: string[]) =>
      fine(
        await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { allowedRedirectURLs } }),
      )
    const { allowedRedirectURLs: before } = await settle([
      'https://app.example.com/connected?tab=1',
    ])
    const page = await t.start()
    const state = await t.begin(await t.start())
    const during = await t.begin(await t.start({ confirm: true }))
    await settle([])
    isPage(await t.browser.get(page), 400)
    const visit = await back(state)
    assert.match(visit.location ?? '', /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
    assert.match((await t.browser.get(visit.location ?? '')).text, /has changed something/)
    assert.equal(t.tokenRequests.length, 0)
    await settle(before)
    t.answer = async (response) => {
      await settle([])
      await tokens(response)
    }
    const late = await back(during)
    assert.match(late.location ?? '', /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
    await settle(before)
  })
}
