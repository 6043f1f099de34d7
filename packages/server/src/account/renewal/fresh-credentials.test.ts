import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { describePostgres } from '../../../test/postgres.ts'
import { freshConfig } from './fresh-credentials.ts'
import { type RenewalWorld, startRenewalWorld } from './test/renewal-world.ts'

describe('freshConfig', () => {
  promises(async () => undefined)
})

describePostgres('freshConfig on PostgreSQL', (server) => {
  promises(() => server().createDatabase('fresh_config'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    Object.assign(world.provider, {
      expiresIn: 3_600,
      graceMs: 0,
      beforeRotation: undefined,
      afterRotation: undefined,
    })
    world.provider.calls.length = 0
  })

  it('serves a token that lives without asking anybody', async () => {
    const expires = Date.now() + 100_000
    const { id, family } = await world.account({ row: { token_expires_at: expires } })
    const { grant } = await freshConfig(world.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.deepEqual(world.provider.calls, [])
  })

  it('renews a token that is about to end, and stores what it got before it hands it out', async () => {
    const { id, family } = await world.account()
    const old = family.refreshToken
    const { grant } = await freshConfig(world.node(), id)
    assert.deepEqual(world.provider.calls, [old])
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal(grant.config.scope, 'all')
    assert.deepEqual(await world.config(id), grant.config)
    const row = await world.row(id)
    assert.deepEqual(
      [row.credential_version, row.lease_owner, row.lease_until, row.renewal_sent_at, row.status],
      [2, null, null, null, 'active'],
    )
    assert.ok(Math.abs(Number(row.token_expires_at) - Date.now() - 3_600_000) < 5_000)
  })

  it('asks the provider once for 200 callers on two nodes', async () => {
    const { id, family } = await world.account({ row: { token_expires_at: Date.now() - 1 } })
    const nodes = [world.node(), world.node()]
    const callers = Array.from({ length: 200 }, (_, index) => nodes[index % 2] ?? world.node())
    const fresh = await Promise.all(callers.map((node) => freshConfig(node, id)))
    assert.equal(world.provider.calls.length, 1)
    assert.deepEqual(
      new Set(fresh.map(({ grant }) => grant.config.access_token)),
      new Set([family.accessToken]),
    )
    assert.equal(world.provider.kills(), 0)
  })
}
