import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../../../test/postgres.ts'
import { freshConfig } from './fresh-credentials.ts'
import { isDue } from './is-due.ts'
import { renewAccount } from './renew-account.ts'
import { renewDue } from './renewal-loop.ts'
import { type RenewalWorld, startRenewalWorld } from './test/renewal-world.ts'

describe('the back-off of a renewal', () => {
  promises(async () => undefined)
})

describePostgres('the back-off of a renewal on PostgreSQL', (server) => {
  promises(() => server().createDatabase('renewal_back_off'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.calls.length = 0
    world.provider.beforeRotation = async (response) => {
      // Long enough for everybody to have looked before the first answer is here.
      await sleep(50)
      response.writeHead(503).end()
      return true
    }
  })
  /** As one sees it who looks now. */
  const look = async (id: string) => {
    const seen = await world.node().renewals.find(id)
    assert.ok(seen)
    return seen
  }
  const ended = () => ({ token_expires_at: Date.now() - 1_000, renew_at: 1 })

  it('is one request per window, however many ask on two nodes', async () => {
    const { id } = await world.account({ row: ended() })
    const nodes = [world.node(), world.node()]
    for (const window of [1, 2, 3]) {
      const callers = Array.from({ length: 30 }, (_, index) => nodes[index % 2] ?? world.node())
      const answers = await Promise.allSettled(callers.map((node) => freshConfig(node, id)))
      assert.ok(answers.every(({ status }) => status === 'rejected'))
      await Promise.all(nodes.map((node) => renewDue(node)))
      assert.equal(world.provider.calls.length, window)
      const { renew_failures, status } = await world.row(id)
      assert.deepEqual([renew_failures, status], [window, 'active'])
      await world.change(id, { renew_at: 1 })
    }
  })

  it('holds for one who looked before the other has failed, and takes the lease after', async () => {
    for (const kind of ['use', 'early'] as const) {
      const { id } = await world.account({ row: ended() })
      const seen = await look(id)
      assert.ok(isDue(seen.row, seen.at, { kind }))
      await renewAccount(world.node(), seen, { kind })
      assert.equal(world.provider.calls.splice(0).length, 1)
      await renewAccount(world.node(), seen, { kind })
      assert.equal(world.provider.calls.length, 0, kind)
      const { renew_failures, lease_owner } = await world.row(id)
      assert.deepEqual([renew_failures, lease_owner], [1, null])
    }
  })

  it('holds when the API refuses the token meanwhile', async () => {
    const row = { token_expires_at: Date.now() + 900_000 }
    const { id, family } = await world.account({ row })
    const refusedVersion = (await world.row(id)).credential_version
    const refused = () => freshConfig(world.node(), id, { refusedVersion })
    await refused()
    assert.equal(world.provider.calls.length, 1, 'a refusal is worth one request')
    const { grant } = await refused()
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal(world.provider.calls.length, 1, 'and none while backing off')
    await world.change(id, { renew_at: 1 })
    await refused()
    assert.equal(world.provider.calls.length, 2)
  })

  it('holds for one whom the API refused, and who takes the lease after the other has failed', async () => {
    const { id } = await world.account({ row: { token_expires_at: Date.now() + 900_000 } })
    const seen = await look(id)
    const wish = { kind: 'refused', version: seen.row.credential_version } as const
    await renewAccount(world.node(), seen, wish)
    await renewAccount(world.node(), seen, wish)
    assert.equal(world.provider.calls.length, 1)
  })
}
