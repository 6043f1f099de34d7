import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { refreshDueAccounts } from '../accounts/token-refresh/test/refresh-test-context.ts'
import {
  type OAuthProxyTestContext,
  startOAuthProxyTestContext,
} from './test/oauth-proxy-test-context.ts'

const LIMITS = { totalMs: 1_500, idleMs: 1_000, maxBytes: 1_000_000 }

describeOnBothDatabases('a proxied 401 during a concurrent refresh', defineTests)

describe('a proxied 401 and the retry', () => {
  it('share one deadline, including the refresh between them', async (t) => {
    const context = await startOAuthProxyTestContext({ proxyLimits: LIMITS })
    t.after(() => context.close())
    const { id, family } = await context.connectAccount()
    const oldBearer = `Bearer ${family.accessToken}`
    context.provider.beforeRotation = async () => {
      await sleep(500)
      return false
    }
    context.statusForBearer = async (bearer) => {
      await sleep(bearer === oldBearer ? 500 : 60_000, undefined, { ref: false })
      return bearer === oldBearer ? 401 : 200
    }
    const started = performance.now()
    const { status, text } = await context.send(id)
    const elapsedMs = performance.now() - started
    assert.deepEqual([status, JSON.parse(text).error], [504, 'provider_timeout'])
    assert.ok(elapsedMs > LIMITS.totalMs - 50 && elapsedMs < 30_000, `after ${elapsedMs} ms`)
  })
})

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: OAuthProxyTestContext
  before(async () => {
    context = await startOAuthProxyTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => context.reset())

  /** Bearer tokens that the API rejects. */
  function rejectTokens(): Set<string> {
    const rejectedBearers = new Set<string>()
    context.statusForBearer = (bearer) => (rejectedBearers.has(bearer) ? 401 : 200)
    return rejectedBearers
  }

  /** An account whose tokens were refreshed after rejections so often that another rejection triggers no refresh. */
  async function recentlyRefreshed() {
    const { id, family } = await context.connectAccount()
    context.statusForBearer = () => 401
    for (let times = 1; times <= IMMEDIATE_REFRESHES; times += 1) {
      assert.equal((await context.send(id)).status, 401)
      assert.equal(context.provider.calls.length, times)
    }
    context.provider.calls.length = 0
    const rejectedBearers = rejectTokens().add(`Bearer ${family.accessToken}`)
    return { id, family, refused: rejectedBearers }
  }

  /** Delays the token endpoint, and resolves at its next request. */
  function delayRefresh(ms: number, status?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    context.provider.beforeRotation = async (response) => {
      resolve()
      await sleep(ms)
      if (status === undefined) return false
      response.writeHead(status).end()
      return true
    }
    return promise
  }

  it('40 callers share one token request, and all succeed', async () => {
    const { id, family } = await context.connectAccount()
    const oldBearer = `Bearer ${family.accessToken}`
    delayRefresh(300)
    context.statusForBearer = async (bearer, index) => {
      if (bearer !== oldBearer) return 200
      await sleep(index * 20)
      return 401
    }
    const responses = await Promise.all(Array.from({ length: 40 }, () => context.send(id)))
    const expected = { status: 200, text: `Bearer ${family.accessToken}`, respondedBy: 'provider' }
    for (const one of responses) assert.deepEqual(one, expected)
    assert.equal(context.provider.calls.length, 1)
  })

  it('waits for a refresh in this process', async () => {
    const { id, family, refused: rejectedBearers } = await recentlyRefreshed()
    const refreshStarted = delayRefresh(400)
    const nearExpiry = { token_expires_at: Date.now() + 20_000, refresh_at: 1 }
    let concurrentRefresh: Promise<unknown> | undefined
    context.statusForBearer = async (bearer) => {
      if (!rejectedBearers.has(bearer)) return 200
      await context.change(id, nearExpiry)
      concurrentRefresh ??= context.t.call('GET', `/v1/integration_account/${id}/credentials`)
      await refreshStarted
      return 401
    }
    const { status, text } = await context.send(id)
    assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.equal(context.provider.calls.length, 1)
    await concurrentRefresh
  })

  it('waits for a refresh on another node', async () => {
    const { id, family, refused: rejectedBearers } = await recentlyRefreshed()
    const refreshStarted = delayRefresh(400)
    let concurrentRefresh: Promise<void> | undefined
    context.statusForBearer = async (bearer) => {
      if (!rejectedBearers.has(bearer)) return 200
      concurrentRefresh ??= context
        .change(id, { refresh_at: 1 })
        .then(() => refreshDueAccounts(context.node()))
      await refreshStarted
      return 401
    }
    const responses = await Promise.all([context.send(id), context.send(id), context.send(id)])
    for (const { status, text } of responses)
      assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.equal(context.provider.calls.length, 1)
    await concurrentRefresh
  })

  it('returns the 401 as soon as the other refresh has failed', async () => {
    const { id, refused: rejectedBearers } = await recentlyRefreshed()
    const refreshStarted = delayRefresh(200, 503)
    let concurrentRefresh: Promise<void> | undefined
    context.statusForBearer = async (bearer) => {
      if (!rejectedBearers.has(bearer)) return 200
      concurrentRefresh ??= context
        .change(id, { refresh_at: 1 })
        .then(() => refreshDueAccounts(context.node()))
      await refreshStarted
      return 401
    }
    const started = performance.now()
    assert.equal((await context.send(id)).status, 401)
    assert.ok(performance.now() - started < 20_000, 'it waits no longer than for the other refresh')
    assert.equal(context.provider.calls.length, 1)
    await concurrentRefresh
  })

  it('returns the 401 immediately, without a refresh, if the API rejects every token', async () => {
    const { id } = await recentlyRefreshed()
    for (let round = 0; round < 5; round += 1) assert.equal((await context.send(id)).status, 401)
    assert.deepEqual(context.provider.calls, [])
  })

  it('stores the new tokens if the caller has disconnected, and does not retry', async () => {
    const { id, family } = await context.connectAccount()
    rejectTokens().add(`Bearer ${family.accessToken}`)
    const refreshStarted = delayRefresh(300)
    const clientAbort = new AbortController()
    const pendingResponse = context.send(id, undefined, clientAbort.signal)
    await refreshStarted
    clientAbort.abort()
    await assert.rejects(pendingResponse, { name: 'AbortError' })
    while ((await context.row(id)).credential_version === 1) await sleep(20)
    await sleep(100)
    assert.equal(context.apiRequests.length, 1)
    assert.equal((await context.config(id)).access_token, family.accessToken)
    assert.equal((await context.send(id)).status, 200)
    assert.equal(context.provider.calls.length, 1)
  })
}

/** Number of refreshes after rejected tokens that happen without delay. */
const IMMEDIATE_REFRESHES = 3
