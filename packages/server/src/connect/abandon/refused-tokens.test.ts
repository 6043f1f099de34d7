import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { created, fine } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { CLIENT } from '../test/oauth-world.ts'
import { type RevokingWorld, startRevokingWorld } from '../test/revoking-world.ts'
import { ISSUER, json, returned } from '../test/stub-world.ts'

describe('tokens of a refused connection, on SQLite', () => keepsItsPromises(async () => ({})))

describePostgres('tokens of a refused connection, on PostgreSQL', (server) =>
  keepsItsPromises(async () => ({ url: await server().createDatabase('refused_tokens') })),
)

function keepsItsPromises(options: () => Promise<{ url?: string }>): void {
  let t: RevokingWorld
  before(async () => {
    t = await startRevokingWorld(await options())
  })
  after(() => t.close())
  beforeEach(async () => {
    t.revoked.length = 0
    t.revocation = (response) => response.writeHead(200).end()
    await t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ deleted_at: 1 }).execute(),
    )
  })

  const tokens = (access: string) =>
    json(200, { access_token: access, refresh_token: `rt_${access}`, expires_in: 3600 })
  /** A connection that works, of this person. */
  const connected = async (access: string) => {
    t.answer = tokens(access)
    return returned(await t.through()).integrationAccountId ?? ''
  }
  /** A connection during whose token request this happens. */
  const during = async (access: string, happens: () => Promise<unknown>, body = {}) => {
    const state = await t.begin(await t.start(body))
    t.answer = async (response) => {
      await happens()
      await tokens(access)(response)
    }
    return returned(await t.back({ state, code: 'c', iss: ISSUER })).error
  }
  /** A connection through a link that closes meanwhile. */
  const closed = async (access: string, body = {}) => {
    const { linkId } = created(await t.call('POST', '/v1/link', { body: { linkName: 'L' } }))
    const close = async () => fine(await t.call('DELETE', `/v1/link/${linkId}`))
    assert.equal(await during(access, close, { linkId, ...body }), 'link_revoked')
  }

  it('are revoked, the refresh token first, when the integration says no', async () => {
    t.answer = tokens('alice.bad')
    assert.equal(returned(await t.through()).error, 'credentials_rejected')
    assert.deepEqual(t.revoked, ['rt_alice.bad', 'alice.bad'])
  })

  it('are revoked when the link closes meanwhile', async () => {
    await closed('alice.1')
    assert.deepEqual(t.revoked, ['rt_alice.1', 'alice.1'])
  })

  it('are revoked when the token that started it is revoked meanwhile', async () => {
    const { token, tokenId } = created(
      await t.call('POST', '/v1/user/token', { body: { name: 'host' } }),
    )
    const state = await t.begin(await t.start({}, token))
    t.answer = async (response) => {
      fine(await t.call('DELETE', `/v1/user/token/${tokenId}`))
      await tokens('alice.1')(response)
    }
    const visit = await t.back({ state, code: 'c', iss: ISSUER })
    assert.equal(returned(visit).error, 'oauth_start_revoked')
    assert.deepEqual(t.revoked, ['rt_alice.1', 'alice.1'])
  })

  it('are revoked when somebody else signs in for a reconnect, and the old ones are not', async () => {
    const integrationAccountId = await connected('alice.1')
    for (const confirm of [true, false]) {
      t.revoked.length = 0
      t.answer = tokens('bob.1')
      const visit = await t.through({ integrationAccountId, confirm })
      assert.equal(returned(visit).error, 'identity_mismatch')
      assert.deepEqual(t.revoked, ['rt_bob.1', 'bob.1'])
    }
  })

  it('are left alone when a reconnect fails before anybody knows who signed in', async () => {
    const integrationAccountId = await connected('alice.1')
    t.answer = tokens('alice.bad')
    const visit = await t.through({ integrationAccountId })
    assert.equal(returned(visit).error, 'credentials_rejected')
    assert.deepEqual(t.revoked, [])
  })

  it('are left alone when a reconnect of the same person is not stored', async () => {
    const id = await connected('alice.1')
    const change = () =>
      t.database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set({ credential_version: 7, updated_at: Date.now() + 1 })
          .where('account_id', '=', id)
          .execute(),
      )
    const body = { integrationAccountId: id }
    assert.equal(await during('alice.2', change, body), 'concurrent_update')
    assert.deepEqual(t.revoked, [])
  })

  it('are left alone while another account of the same person lives, and not for the sake of others', async () => {
    await connected('alice.1')
    await closed('alice.2')
    assert.deepEqual(t.revoked, [])
    await closed('bob.1')
    assert.deepEqual(t.revoked, ['rt_bob.1', 'bob.1'])
  })

  it('are left alone while an account lives of which nobody knows whose it is', async () => {
    await connected('nobody.1')
    await closed('alice.1')
    assert.deepEqual(t.revoked, [])
  })

  it('are left alone while the same person has an account in another workspace, with the same client', async () => {
    const other = await t.stranger()
    const { source_url: sourceUrl } = await t.database.read
      .selectFrom('definitions')
      .select('source_url')
      .where('definition_id', '=', t.definitionId)
      .executeTakeFirstOrThrow()
    const { token } = other
    const theirs = await t.define({ sourceUrl, token, name: 'Theirs' })
    const { integrationDefinitionId } = theirs
    const body = { integrationDefinitionId, ...CLIENT }
    created(await t.call('POST', '/v1/integration_oauth', { body, token }))
    t.answer = tokens('alice.1')
    const start = { integrationDefinitionId, redirectURL: null }
    const state = await t.begin(await t.start(start, token))
    await t.back({ state, code: 'c', iss: ISSUER })
    await closed('alice.2')
    assert.deepEqual(t.revoked, [])
  })

  it('leave the answer as it is, whatever the provider says to that', async () => {
    t.revocation = (response) => response.writeHead(500).end()
    await closed('alice.1')
    t.revocation = (response) => response.destroy()
    await closed('alice.1')
    assert.equal(t.revoked.length, 4)
  })

  it('keep a person waiting for three seconds at most', async () => {
    t.revocation = () => undefined
    const before = performance.now()
    await closed('alice.1')
    const took = performance.now() - before
    assert.ok(took > 2_500 && took < 10_000, `took ${took} ms`)
    assert.deepEqual(t.revoked, ['rt_alice.1'])
  })

  it('of an account are revoked when somebody else takes it over, confirmed or not', async () => {
    const integrationAccountId = await connected('alice.1')
    const by = async (access: string, confirm: boolean) => {
      t.revoked.length = 0
      t.answer = tokens(access)
      const visit = await t.through({ integrationAccountId, confirm, allowOtherIdentity: true })
      const { success, confirmToken } = returned(visit)
      assert.equal(success, 'true')
      if (confirm) fine(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
      return [...t.revoked]
    }
    assert.deepEqual(await by('bob.1', false), ['rt_alice.1', 'alice.1'])
    assert.deepEqual(await by('carol.1', true), ['rt_bob.1', 'bob.1'])
    assert.deepEqual(await by('carol.2', true), [])
    assert.deepEqual(await by('nobody.1', false), [])
    assert.deepEqual(await by('alice.3', false), [])
  })

  it('of a connection that holds are not touched', async () => {
    await connected('alice.1')
    t.answer = json(400, { error: 'invalid_grant' })
    assert.equal(returned(await t.through()).error, 'token_exchange_failed')
    assert.deepEqual(t.revoked, [])
  })
}
