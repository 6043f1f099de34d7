import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fine } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { type RevokingWorld, startRevokingWorld } from '../test/revoking-world.ts'
import { json, returned } from '../test/stub-world.ts'

describe('who signs in for a reconnect, on SQLite', () => keepsItsPromises(async () => ({})))

describePostgres('who signs in for a reconnect, on PostgreSQL', (server) =>
  keepsItsPromises(async () => ({ url: await server().createDatabase('reconnect_identity') })),
)

function keepsItsPromises(options: () => Promise<{ url?: string }>): void {
  let t: RevokingWorld
  before(async () => {
    t = await startRevokingWorld(await options())
  })
  after(() => t.close())

  const through = async (access: string, body: Record<string, unknown> = {}) => {
    t.answer = json(200, { access_token: access, refresh_token: `rt_${access}`, expires_in: 3600 })
    return returned(await t.through(body))
  }
  const connected = async (access: string) => String((await through(access)).integrationAccountId)
  const keptBy = async (id: string) => {
    const token = await t.mint({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${id}/credentials`
    return fine(await t.call('GET', path, { token })).config.access_token
  }

  for (const confirm of [true, false]) {
    it(`must be the same person (confirm: ${confirm})`, async () => {
      const id = await connected('alice.1')
      const again = { integrationAccountId: id, confirm }
      assert.equal((await through('bob.1', again)).error, 'identity_mismatch')
      assert.equal(await keptBy(id), 'alice.1')
      const { confirmToken, success } = await through('alice.2', again)
      assert.equal(success, 'true')
      if (confirm) fine(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
      assert.equal(await keptBy(id), 'alice.2')
    })

    it(`must be known when the account's person is (confirm: ${confirm})`, async () => {
      const id = await connected('alice.1')
      const again = { integrationAccountId: id, confirm }
      assert.equal((await through('nobody.1', again)).error, 'identity_mismatch')
      assert.equal(await keptBy(id), 'alice.1')
    })
  }

  it('is not called somebody else when the provider cannot tell now', async () => {
    const id = await connected('alice.1')
    const again = { integrationAccountId: id }
    assert.equal((await through('alice.away', again)).error, 'provider_error')
    assert.equal(await keptBy(id), 'alice.1')
    const anybody = await through('alice.away', { ...again, allowOtherIdentity: true })
    assert.equal(anybody.success, 'true')
  })

  it('may be known by a number', async () => {
    const id = await connected('4711.1')
    const again = { integrationAccountId: id }
    assert.equal((await through('4712.1', again)).error, 'identity_mismatch')
    assert.equal((await through('4711.2', again)).success, 'true')
    assert.equal(await keptBy(id), '4711.2')
  })

  it('may be anybody when nobody knows whose account it is, and counts from then on', async () => {
    const again = { integrationAccountId: await connected('nobody.1') }
    assert.equal((await through('alice.1', again)).success, 'true')
    assert.equal((await through('bob.1', again)).error, 'identity_mismatch')
  })

  it('may be anybody when that was asked for, and counts from then on', async () => {
    const again = { integrationAccountId: await connected('alice.1') }
    const { success } = await through('bob.1', { ...again, allowOtherIdentity: true })
    assert.equal(success, 'true')
    assert.equal((await through('alice.2', again)).error, 'identity_mismatch')
    assert.equal(await keptBy(again.integrationAccountId), 'bob.1')
  })

  it('makes an account that needed it active again', async () => {
    const id = await connected('alice.1')
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth', status_reason: 'invalid_grant' })
        .where('account_id', '=', id)
        .execute(),
    )
    await through('alice.bad', { integrationAccountId: id })
    const before = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual([before.status, before.statusReason], ['needs_reauth', 'invalid_grant'])
    await through('alice.2', { integrationAccountId: id })
    const after = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual([after.status, after.statusReason], ['active', null])
  })
}
