import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { describePostgres } from '../../test/postgres.ts'
import { type OAuthProxyWorld, startOAuthProxyWorld } from './test/oauth-proxy-world.ts'

describe('the proxy of an OAuth account', () => {
  promises(async () => undefined)
})

describePostgres('the proxy of an OAuth account on PostgreSQL', (server) => {
  promises(() => server().createDatabase('oauth_proxy'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: OAuthProxyWorld
  before(async () => {
    world = await startOAuthProxyWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => world.reset())

  it('fills the headers of the spec with a token that works', async () => {
    const { id, family } = await world.connected()
    const { status, text } = await world.ask(id)
    assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.deepEqual(world.provider.calls, [])
  })

  it('renews before it sends when the token is about to end', async () => {
    const { id, family } = await world.connected({
      token_expires_at: Date.now() + 1_000,
      renew_at: 1,
    })
    const old = family.accessToken
    const { text } = await world.ask(id)
    assert.equal(text, `Bearer ${family.accessToken}`)
    assert.notEqual(family.accessToken, old)
    assert.equal(world.seen.length, 1)
  })

  it('renews on a 401 and sends the request once more, body and all', async () => {
    for (const body of [undefined, Buffer.from('hello'), Buffer.alloc(1_000_000)]) {
      world.seen.length = 0
      const { id, family } = await world.connected()
      const old = `Bearer ${family.accessToken}`
      world.judge = (bearer) => (bearer === old ? 401 : 200)
      const { status, text, by } = await world.ask(id, body)
      assert.deepEqual([status, text, by], [200, `Bearer ${family.accessToken}`, 'provider'])
      assert.deepEqual(
        world.seen.map(({ size }) => size),
        [body?.length ?? 0, body?.length ?? 0],
      )
    }
    assert.equal(world.provider.calls.length, 3)
  })

  it('sends no long body twice', async () => {
    world.judge = () => 401
    const { id } = await world.connected()
    const { status, by } = await world.ask(id, Buffer.alloc(2_000_000))
    assert.deepEqual([status, by, world.seen.length], [401, 'provider', 1])
    assert.deepEqual(world.provider.calls, [])
  })

  it('tries once: a 401 to the new token is the answer', async () => {
    world.judge = () => 401
    const { id } = await world.connected()
    const first = await world.ask(id)
    assert.deepEqual([first.status, first.by, world.seen.length], [401, 'provider', 2])
    assert.equal(first.text, world.seen[1]?.bearer)
    assert.equal(world.provider.calls.length, 1)
  })

  it('passes the 401 on while the provider does not renew', async () => {
    world.judge = () => 401
    const { id } = await world.connected()
    world.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    const { status, by } = await world.ask(id)
    assert.deepEqual([status, by, world.seen.length], [401, 'provider', 1])
  })

  it('says needs_reauth once the grant is dead, and asks nobody from then on', async () => {
    world.judge = () => 401
    const { id, family } = await world.connected()
    family.isDead = true
    for (const expected of [1, 1]) {
      const { status, text, by } = await world.ask(id)
      assert.deepEqual([status, JSON.parse(text).error, by], [424, 'needs_reauth', 'linchpin'])
      assert.deepEqual([world.seen.length, world.provider.calls.length], [expected, expected])
      assert.equal(text.includes(family.accessToken), false)
    }
  })

  it('sends nothing for an account that waits to be confirmed', async () => {
    const { id } = await world.connected({ status: 'pending' })
    const { status, text } = await world.ask(id)
    assert.deepEqual([status, JSON.parse(text).error], [400, 'account_pending'])
    assert.deepEqual(world.seen, [])
  })
}
