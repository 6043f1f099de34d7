import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../../../../test/postgres.ts'
import { freshConfig } from '../fresh-credentials.ts'
import { renewDue } from '../renewal-loop.ts'
import { type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { takeLease } from './held-lease.ts'

describe('the lease of a renewal', () => {
  promises(async () => undefined, jumps)
})

describePostgres('the lease of a renewal on PostgreSQL', (server) => {
  promises(() => server().createDatabase('renewal_lease'), skews)
})

function promises(
  url: () => Promise<string | undefined>,
  clocks: (world: () => RenewalWorld) => void,
): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.afterRotation = undefined
    world.provider.beforeRotation = undefined
    world.provider.calls.length = 0
  })
  const short = { leaseMs: 300, providerMs: 100, waitMs: 2_000 }

  clocks(() => world)

  it('goes to one of those who ask at once', async () => {
    const { id } = await world.account()
    const nodes = Array.from({ length: 8 }, () => world.node())
    const leases = await Promise.all(nodes.map((node) => takeLease(node, seen(id))))
    assert.equal(leases.filter((lease) => lease !== undefined).length, 1)
  })

  it('lets nobody write who has lost it, and does not let him ask', async () => {
    const { id } = await world.account()
    const stalled = await takeLease(world.node({ renewalTimes: short }), seen(id))
    assert.ok(stalled)
    assert.ok(stalled.maySend())
    await sleep(320)
    assert.equal(stalled.maySend(), false)
    const second = await takeLease(world.node({ renewalTimes: short }), seen(id))
    assert.ok(second)
    assert.equal(await stalled.write({ status_reason: 'late' }), false)
    assert.equal(await second.write({ status_reason: 'in time' }), true)
    assert.equal((await world.row(id)).status_reason, 'in time')
  })

  it('lets nobody write over newer credentials', async () => {
    const { id } = await world.account()
    const held = await takeLease(world.node(), seen(id))
    await world.change(id, { credential_version: 2 })
    assert.equal(await held?.write({ status: 'needs_reauth' }), false)
    assert.equal(await takeLease(world.node(), seen(id)), undefined)
  })

  it('is waited for, and the old token is served when it takes too long', async () => {
    const { id, family } = await world.account()
    assert.ok(await takeLease(world.node(), seen(id)))
    const patient = world.node({ renewalTimes: { ...short, waitMs: 200 } })
    const { grant } = await freshConfig(patient, id)
    assert.equal(grant.config.access_token, family.accessToken)
    await world.change(id, { token_expires_at: Date.now() - 1 })
    await assert.rejects(freshConfig(patient, id), {
      code: 'renewal_in_progress',
      statusCode: 503,
      headers: { 'retry-after': '2' },
    })
    assert.equal((await world.row(id)).status, 'active')
    assert.deepEqual(world.provider.calls, [])
  })

  it('is taken over from one who died, and the reply that he lost is asked for again', async () => {
    const { id, family } = await world.account({ row: { token_expires_at: Date.now() - 1 } })
    const old = family.refreshToken
    const died = await takeLease(world.node({ renewalTimes: short }), seen(id))
    await died?.write({ renewal_sent_at: Date.now() })
    const { grant } = await freshConfig(
      world.node({ renewalTimes: { ...short, leaseMs: 5_000 } }),
      id,
    )
    assert.deepEqual(world.provider.calls, [old])
    assert.equal(grant.config.access_token, family.accessToken)
  })

  it('is no obstacle when it seems to last for hours, since then a clock was set back', async () => {
    const lease = { lease_owner: 'somebody', lease_until: Date.now() + 3 * HOUR }
    const { id } = await world.account({ row: lease })
    assert.ok(await takeLease(world.node(), seen(id)))
  })

  it('lets two nodes share the work of the background, each account once', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => world.account()))
    await Promise.all([renewDue(world.node()), renewDue(world.node())])
    for (const { id, family } of made) {
      assert.equal((await world.config(id)).access_token, family.accessToken)
      assert.equal((await world.row(id)).credential_version, 2)
    }
    assert.equal(new Set(world.provider.calls).size, world.provider.calls.length)
    assert.equal(world.provider.kills(), 0)
  })
}

/** On PostgreSQL, whose clock counts. */
function skews(world: () => RenewalWorld): void {
  it('is judged by one clock, so that a node whose own is wrong neither asks nor waits in vain', async () => {
    const { node, account, row, provider } = world()
    for (const skew of [-3 * HOUR, 3 * HOUR, 365 * 24 * HOUR]) {
      const wrong = node({ now: () => Date.now() + skew })
      const fine = await account({ row: { token_expires_at: Date.now() + HOUR } })
      await freshConfig(wrong, fine.id)
      assert.deepEqual(provider.calls, [], 'a token that lives is left alone')
      const { id } = await account()
      assert.ok(await takeLease(node(), seen(id)))
      assert.equal(await takeLease(wrong, seen(id)), undefined, 'the lease holds')
      const ended = await account({ row: { token_expires_at: Date.now() - 1 } })
      await Promise.all([freshConfig(wrong, ended.id), freshConfig(node(), ended.id)])
      assert.equal(provider.calls.splice(0).length, 1)
      const { token_expires_at } = await row(ended.id)
      assert.ok(Math.abs(Number(token_expires_at) - Date.now() - HOUR) < 10_000)
    }
  })
}

/** On SQLite, where the clock is the process's own. */
function jumps(world: () => RenewalWorld): void {
  it('costs one request when the clock jumps, forwards or back', async () => {
    for (const jump of [3 * HOUR, -3 * HOUR, 365 * 24 * HOUR]) {
      const { node, account, provider } = world()
      let skew = 0
      const jumping = node({ now: () => Date.now() + skew })
      const { id } = await account({ row: { token_expires_at: Date.now() - 1 } })
      await freshConfig(jumping, id)
      skew = jump
      await Promise.all([1, 2, 3].map(() => freshConfig(jumping, id)))
      await freshConfig(jumping, id)
      assert.equal(provider.calls.splice(0).length, 2)
      assert.equal(provider.kills(), 0)
    }
  })
}

const seen = (id: string) => ({ account_id: id, credential_version: 1 })
const HOUR = 3_600_000
