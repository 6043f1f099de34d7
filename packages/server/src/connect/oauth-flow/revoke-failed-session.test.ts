import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectOk, testContext } from '../../../test/test-context.ts'
import { CLIENT } from './test/oauth-test-context.ts'
import type { RevocationTestContext } from './test/revocation-test-context.ts'
import { getReturnParams, ISSUER, respondWithJson } from './test/stub-provider-context.ts'

describeOnBothDatabases('tokens of a failed OAuth session', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, url: await newUrl() })
  })
  after(() => t.close())
  beforeEach(async () => {
    t.revoked.length = 0
    t.respondToRevocation = (response) => response.writeHead(200).end()
    await t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ deleted_at: 1 }).execute(),
    )
  })

  const tokens = (access: string) =>
    respondWithJson(200, { access_token: access, refresh_token: `rt_${access}`, expires_in: 3600 })
  /** Creates a successful connection of this user. */
  const connectAccount = async (access: string) => {
    t.respondToToken = tokens(access)
    return getReturnParams(await t.completeFlow()).integrationAccountId
  }
  /** Runs the flow, and `event` during its token request. */
  const changeDuringExchange = async (
    access: string,
    change: () => Promise<unknown>,
    body = {},
  ) => {
    const state = await t.begin(await t.start(body))
    t.respondToToken = async (response) => {
      await change()
      await tokens(access)(response)
    }
    return getReturnParams(await t.callback({ state, code: 'c', iss: ISSUER })).error
  }
  /** Runs the flow through a link that is revoked in the meantime. */
  const connectThroughClosedLink = async (access: string, body = {}) => {
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'L' } }))
    const close = async () => expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
    assert.equal(await changeDuringExchange(access, close, { linkId, ...body }), 'link_revoked')
  }

  it('are revoked, the refresh token first, when the integration rejects them', async () => {
    t.respondToToken = tokens('alice.bad')
    assert.equal(getReturnParams(await t.completeFlow()).error, 'credentials_rejected')
    assert.deepEqual(t.revoked, ['rt_alice.bad', 'alice.bad'])
  })

  it('are revoked when the link was revoked in the meantime', async () => {
    await connectThroughClosedLink('alice.1')
    assert.deepEqual(t.revoked, ['rt_alice.1', 'alice.1'])
  })

  it('are revoked when the access token that started it was revoked in the meantime', async () => {
    const { token, tokenId } = expectCreated(
      await t.call('POST', '/v1/user/token', { body: { name: 'host' } }),
    )
    const state = await t.begin(await t.start({}, token))
    t.respondToToken = async (response) => {
      expectOk(await t.call('DELETE', `/v1/user/token/${tokenId}`))
      await tokens('alice.1')(response)
    }
    const response = await t.callback({ state, code: 'c', iss: ISSUER })
    assert.equal(getReturnParams(response).error, 'oauth_start_revoked')
    assert.deepEqual(t.revoked, ['rt_alice.1', 'alice.1'])
  })

  it('are revoked when a different user signs in for a reconnect, but the old tokens are not', async () => {
    const integrationAccountId = await connectAccount('alice.1')
    for (const confirm of [true, false]) {
      t.revoked.length = 0
      t.respondToToken = tokens('bob.1')
      const response = await t.completeFlow({ integrationAccountId, confirm })
      assert.equal(getReturnParams(response).error, 'identity_mismatch')
      assert.deepEqual(t.revoked, ['rt_bob.1', 'bob.1'])
    }
  })

  it('are not revoked when a reconnect fails before the identity is known', async () => {
    const integrationAccountId = await connectAccount('alice.1')
    t.respondToToken = tokens('alice.bad')
    const response = await t.completeFlow({ integrationAccountId })
    assert.equal(getReturnParams(response).error, 'credentials_rejected')
    assert.deepEqual(t.revoked, [])
  })

  it('are not revoked when a reconnect of the same user is not stored', async () => {
    const id = await connectAccount('alice.1')
    const change = () =>
      t.database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set({ credential_version: 7, updated_at: Date.now() + 1 })
          .where('account_id', '=', id)
          .execute(),
      )
    const body = { integrationAccountId: id }
    assert.equal(await changeDuringExchange('alice.2', change, body), 'concurrent_update')
    assert.deepEqual(t.revoked, [])
  })

  it('are not revoked while the same user has another live account; accounts of other users do not matter', async () => {
    await connectAccount('alice.1')
    await connectThroughClosedLink('alice.2')
    assert.deepEqual(t.revoked, [])
    await connectThroughClosedLink('bob.1')
    assert.deepEqual(t.revoked, ['rt_bob.1', 'bob.1'])
  })

  it('are not revoked while an account with an unknown identity is live', async () => {
    await connectAccount('unknown.1')
    await connectThroughClosedLink('alice.1')
    assert.deepEqual(t.revoked, [])
  })

  it('are not revoked while the same user has an account in another workspace with the same client', async () => {
    const other = await t.otherUser()
    const { source_url: sourceUrl } = await t.database.read
      .selectFrom('definitions')
      .select('source_url')
      .where('definition_id', '=', t.definitionId)
      .executeTakeFirstOrThrow()
    const { token } = other
    const otherDefinition = await t.createDefinition({ sourceUrl, token, name: 'Theirs' })
    const { integrationDefinitionId } = otherDefinition
    const body = { integrationDefinitionId, ...CLIENT }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body, token }))
    t.respondToToken = tokens('alice.1')
    const start = { integrationDefinitionId, redirectURL: null }
    const state = await t.begin(await t.start(start, token))
    await t.callback({ state, code: 'c', iss: ISSUER })
    await connectThroughClosedLink('alice.2')
    assert.deepEqual(t.revoked, [])
  })

  it('do not change the response, whatever the revocation endpoint returns', async () => {
    t.respondToRevocation = (response) => response.writeHead(500).end()
    await connectThroughClosedLink('alice.1')
    t.respondToRevocation = (response) => response.destroy()
    await connectThroughClosedLink('alice.1')
    assert.equal(t.revoked.length, 4)
  })

  it('delay the user by at most three seconds', async () => {
    t.respondToRevocation = () => undefined
    const before = performance.now()
    await connectThroughClosedLink('alice.1')
    const durationMs = performance.now() - before
    assert.ok(durationMs > 2_500 && durationMs < 10_000, `took ${durationMs} ms`)
    assert.deepEqual(t.revoked, ['rt_alice.1'])
  })

  it('of a replaced account are revoked when a different user reconnects it, with or without confirmation', async () => {
    const integrationAccountId = await connectAccount('alice.1')
    const reconnectAs = async (access: string, confirm: boolean) => {
      t.revoked.length = 0
      t.respondToToken = tokens(access)
      const response = await t.completeFlow({
        integrationAccountId,
        confirm,
        allowOtherIdentity: true,
      })
      const { success, confirmToken } = getReturnParams(response)
      assert.equal(success, 'true')
      if (confirm) expectOk(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
      return [...t.revoked]
    }
    assert.deepEqual(await reconnectAs('bob.1', false), ['rt_alice.1', 'alice.1'])
    assert.deepEqual(await reconnectAs('carol.1', true), ['rt_bob.1', 'bob.1'])
    assert.deepEqual(await reconnectAs('carol.2', true), [])
    assert.deepEqual(await reconnectAs('unknown.1', false), [])
    assert.deepEqual(await reconnectAs('alice.3', false), [])
  })

  it('of a successful session are not revoked', async () => {
    await connectAccount('alice.1')
    t.respondToToken = respondWithJson(400, { error: 'invalid_grant' })
    assert.equal(getReturnParams(await t.completeFlow()).error, 'token_exchange_failed')
    assert.deepEqual(t.revoked, [])
  })
}
