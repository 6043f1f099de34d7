import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { freshConfig } from './fresh-credentials.ts'
import { renewDue } from './renewal-loop.ts'
import { type RenewalWorld, startRenewalWorld } from './test/renewal-world.ts'

const HOUR = 3_600_000

describe('the life of a token', () => {
  promises(async () => undefined)
})

describePostgres('the life of a token, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('token_life'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.expiresIn = 3_600
    world.provider.calls.length = 0
  })
  const ended = () => ({ token_expires_at: Date.now() - 1, renew_at: 1 })

  it('is remembered where the provider tells it only once', async () => {
    const { id } = await world.account({ row: ended() })
    await freshConfig(world.node(), id)
    world.provider.expiresIn = undefined
    await world.change(id, ended())
    const { row, grant } = await freshConfig(world.node(), id)
    const left = Number(row.token_expires_at) - Date.now()
    assert.ok(left > HOUR - 60_000 && left <= HOUR, `${left}`)
    assert.ok(Number(row.renew_at) < Number(row.token_expires_at))
    // It ends again, and is renewed again.
    await world.change(id, ended())
    const next = await freshConfig(world.node(), id)
    assert.notEqual(next.grant.config.access_token, grant.config.access_token)
    assert.equal(world.provider.calls.length, 3)
  })

  it('is an hour for the background where the provider never tells it, and endless for everybody else', async () => {
    const { id, family } = await world.account({ row: ended() })
    world.provider.expiresIn = undefined
    const { row } = await freshConfig(world.node(), id)
    assert.equal(row.token_expires_at, null)
    const wait = Number(row.renew_at) - Date.now()
    assert.ok(wait > HOUR / 2 && wait < HOUR, `${wait}`)
    await freshConfig(world.node(), id)
    assert.equal(world.provider.calls.length, 1)
    await world.change(id, { renew_at: Date.now() - 1 })
    await renewDue(world.node())
    assert.equal(world.provider.calls.length, 2)
    const later = await freshConfig(world.node(), id)
    assert.equal(later.grant.config.access_token, family.accessToken)
  })

  it('is not believed once the clock was set back behind its beginning', async () => {
    const { id, family } = await world.account({ row: ended() })
    await freshConfig(world.node(), id)
    const { token_expires_at, renew_at } = await world.row(id)
    const ahead = 3 * HOUR
    await world.change(id, {
      token_expires_at: Number(token_expires_at) + ahead,
      renew_at: Number(renew_at) + ahead,
    })
    const { row, grant } = await freshConfig(world.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.ok(Number(row.token_expires_at) <= Date.now() + HOUR)
    assert.equal(world.provider.calls.length, 2)
  })

  it('is said to be over by the background where nothing renews it, also when nobody uses it', async () => {
    const at = Date.now() - 1
    const row = { token_expires_at: at, renew_at: at, status_reason: 'no_refresh_token' }
    const { id } = await world.account({ row, config: { refresh_token: undefined } })
    await renewDue(world.node())
    const { status, status_reason } = await world.row(id)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'token_expired'])
    assert.deepEqual(await auditOf(world.t, id), ['account.needs_reauth'])
    assert.deepEqual(world.provider.calls, [])
  })

  it('ends no connection before its host has confirmed it', async () => {
    const { id, family } = await world.account({ row: { ...ended(), status: 'pending' } })
    family.isDead = true
    await renewDue(world.node())
    assert.equal((await world.row(id)).status, 'pending')
    await world.change(id, { status: 'active' })
    await assert.rejects(freshConfig(world.node(), id), { code: 'needs_reauth' })
    assert.equal((await world.row(id)).status_reason, 'invalid_grant')
  })
}
