import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { describePostgres } from '../../../../test/postgres.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { rotatingBundle } from '../test/rotating-bundle.ts'
import { accountHeaders } from './account-headers.ts'

describe('headers that a bundle made with its own tokens', () => {
  promises(async () => undefined)
})

describePostgres('headers that a bundle made with its own tokens, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('shared_headers'))
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
  const connect = (more: object = {}) =>
    world.account({ code: rotatingBundle(oauthSpec(world.provider)), ...more })
  const unmanaged = { hasApp: false, row: { token_expires_at: null, renew_at: null } }

  for (const [kind, more] of [
    ['with an app', {}],
    ['without an app', unmanaged],
  ] as const)
    it(`are good on nodes that have just started: one request for three, ${kind}`, async () => {
      const { id, family } = await connect(more)
      for (let starts = 0; starts < 3; starts += 1) {
        const nodes = [world.node(), world.node(), world.node()]
        const all = Array.from({ length: 30 }, (_, index) =>
          accountHeaders(nodes[index % 3] ?? world.node(), id),
        )
        for (const { headers } of await Promise.all(all))
          assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      }
      assert.equal(world.provider.calls.length, 1)
      assert.equal(world.provider.kills(), 0)
    })

  it('are good for minutes where the provider tells no end', async () => {
    world.provider.expiresIn = undefined
    const { id, family } = await connect(unmanaged)
    const nodes = [world.node(), world.node()]
    for (let round = 0; round < 3; round += 1)
      for (const node of nodes) {
        const { headers } = await accountHeaders(node, id)
        assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      }
    assert.equal(world.provider.calls.length, 1)
  })

  it('are sealed, and erased with the account', async () => {
    const { id, family } = await connect()
    await accountHeaders(world.node(), id)
    const sealed = Buffer.from((await world.row(id)).sealed_headers ?? [])
    assert.ok(sealed.length > 0)
    assert.ok(!sealed.includes(family.accessToken))
    await world.t.call('DELETE', `/v1/integration_account/${id}`)
    assert.equal((await world.row(id)).sealed_headers, null)
  })
}
