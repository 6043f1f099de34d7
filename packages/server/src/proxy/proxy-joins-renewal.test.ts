import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../../test/postgres.ts'
import { renewDue } from '../account/renewal/renewal-loop.ts'
import { type OAuthProxyWorld, startOAuthProxyWorld } from './test/oauth-proxy-world.ts'

const LIMITS = { totalMs: 1_500, idleMs: 1_000, maxBytes: 1_000_000 }

describe('a 401 while somebody renews', () => {
  promises(async () => undefined)
})

describePostgres('a 401 while somebody renews, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('proxy_joins'))
})

describe('a 401 and the second try', () => {
  it('has one deadline for both tries, the renewal between them included', async (t) => {
    const world = await startOAuthProxyWorld({ proxyLimits: LIMITS })
    t.after(() => world.close())
    const { id, family } = await world.connected()
    const old = `Bearer ${family.accessToken}`
    world.provider.beforeRotation = async () => {
      await sleep(500)
      return false
    }
    world.judge = async (bearer) => {
      await sleep(bearer === old ? 500 : 5_000)
      return bearer === old ? 401 : 200
    }
    const started = performance.now()
    const { status, text } = await world.ask(id)
    const took = performance.now() - started
    assert.deepEqual([status, JSON.parse(text).error], [504, 'provider_timeout'])
    assert.ok(took > LIMITS.totalMs - 50 && took < LIMITS.totalMs + 3_000, `after ${took} ms`)
  })
})

function promises(url: () => Promise<string | undefined>): void {
  let world: OAuthProxyWorld
  before(async () => {
    world = await startOAuthProxyWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => world.reset())

  /** Bearers that the API takes no more. */
  function refuse(): Set<string> {
    const refused = new Set<string>()
    world.judge = (bearer) => (refused.has(bearer) ? 401 : 200)
    return refused
  }

  /** An account whose tokens were refused and renewed a moment ago, so often that another refusal renews nothing. */
  async function justRenewed() {
    const { id, family } = await world.connected()
    world.judge = () => 401
    for (let times = 1; times <= FREE; times += 1) {
      assert.equal((await world.ask(id)).status, 401)
      assert.equal(world.provider.calls.length, times)
    }
    world.provider.calls.length = 0
    const refused = refuse().add(`Bearer ${family.accessToken}`)
    return { id, family, refused }
  }

  /** Lets the token endpoint take its time, and resolves when it is asked. */
  function slowRenewal(ms: number, status?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    world.provider.beforeRotation = async (response) => {
      resolve()
      await sleep(ms)
      if (status === undefined) return false
      response.writeHead(status).end()
      return true
    }
    return promise
  }

  it('makes 40 callers share one token request, stragglers too, and all succeed', async () => {
    const { id, family } = await world.connected()
    const old = `Bearer ${family.accessToken}`
    slowRenewal(300)
    world.judge = async (bearer, index) => {
      if (bearer !== old) return 200
      await sleep(index * 20)
      return 401
    }
    const told = await Promise.all(Array.from({ length: 40 }, () => world.ask(id)))
    const expected = { status: 200, text: `Bearer ${family.accessToken}`, by: 'provider' }
    for (const one of told) assert.deepEqual(one, expected)
    assert.equal(world.provider.calls.length, 1)
  })

  it('waits for a renewal that this process has under way', async () => {
    const { id, family, refused } = await justRenewed()
    const asked = slowRenewal(400)
    const soon = { token_expires_at: Date.now() + 20_000, renew_at: 1 }
    let other: Promise<unknown> | undefined
    world.judge = async (bearer) => {
      if (!refused.has(bearer)) return 200
      await world.change(id, soon)
      other ??= world.t.call('GET', `/v1/integration_account/${id}/credentials`)
      await asked
      return 401
    }
    const { status, text } = await world.ask(id)
    assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.equal(world.provider.calls.length, 1)
    await other
  })

  it('waits for a renewal that another node has under way', async () => {
    const { id, family, refused } = await justRenewed()
    const asked = slowRenewal(400)
    let other: Promise<void> | undefined
    world.judge = async (bearer) => {
      if (!refused.has(bearer)) return 200
      await world.change(id, { renew_at: 1 })
      other ??= renewDue(world.node())
      await asked
      return 401
    }
    const told = await Promise.all([world.ask(id), world.ask(id), world.ask(id)])
    for (const { status, text } of told)
      assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.equal(world.provider.calls.length, 1)
    await other
  })

  it('passes the 401 on as soon as the other has failed', async () => {
    const { id, refused } = await justRenewed()
    const asked = slowRenewal(200, 503)
    let other: Promise<void> | undefined
    world.judge = async (bearer) => {
      if (!refused.has(bearer)) return 200
      await world.change(id, { renew_at: 1 })
      other ??= renewDue(world.node())
      await asked
      return 401
    }
    const started = performance.now()
    assert.equal((await world.ask(id)).status, 401)
    assert.ok(performance.now() - started < 3_000)
    assert.equal(world.provider.calls.length, 1)
    await other
  })

  it('renews nothing for an API that refuses every token, and says so at once', async () => {
    const { id } = await justRenewed()
    for (let round = 0; round < 5; round += 1) assert.equal((await world.ask(id)).status, 401)
    assert.deepEqual(world.provider.calls, [])
  })

  it('keeps the new tokens when the caller left meanwhile, and sends nothing again', async () => {
    const { id, family } = await world.connected()
    refuse().add(`Bearer ${family.accessToken}`)
    const asked = slowRenewal(300)
    const leaving = new AbortController()
    const told = world.ask(id, undefined, leaving.signal)
    await asked
    leaving.abort()
    await assert.rejects(told, { name: 'AbortError' })
    while ((await world.row(id)).credential_version === 1) await sleep(20)
    await sleep(100)
    assert.equal(world.seen.length, 1)
    assert.equal((await world.config(id)).access_token, family.accessToken)
    assert.equal((await world.ask(id)).status, 200)
    assert.equal(world.provider.calls.length, 1)
  })
}

/** Renewals for refused tokens that follow one another at once. */
const FREE = 3
