import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import type { AccountId } from '../account.ts'
import { acquireLease } from './acquire-lease.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import {
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

describe('the refresh lease of an account, on SQLite', () => {
  defineTests(async () => undefined, testClockJumps)
})

describePostgres('the refresh lease of an account, on PostgreSQL', (server) => {
  defineTests(() => server().createDatabase('renewal_lease'), testClockSkew)
})

function defineTests(
  newUrl: NewDatabaseUrl,
  defineClockTests: (context: () => RefreshTestContext) => void,
): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.afterRotation = undefined
    context.provider.beforeRotation = undefined
    context.provider.calls.length = 0
  })
  // The node may wait for the CPU for seconds: each wait but the one for the end of a lease is long.
  const shortTimeouts = { leaseMs: 3_000, providerMs: 100, waitMs: 60_000 }

  defineClockTests(() => context)

  it('is acquired by one of several concurrent callers', async () => {
    const { id } = await context.account()
    const nodes = Array.from({ length: 8 }, () => context.node())
    const leases = await Promise.all(nodes.map((node) => acquireLease(node, lockKey(id))))
    assert.equal(leases.filter((lease) => lease !== undefined).length, 1)
  })

  it('blocks writes and requests of an owner that has lost it', async () => {
    const { id } = await context.account()
    const stalled = await acquireLease(
      context.node({ refreshTimeouts: shortTimeouts }),
      lockKey(id),
    )
    assert.ok(stalled)
    assert.ok(stalled.maySend())
    await sleep(3_020)
    assert.equal(stalled.maySend(), false)
    const secondLease = await acquireLease(
      context.node({ refreshTimeouts: shortTimeouts }),
      lockKey(id),
    )
    assert.ok(secondLease)
    assert.equal(await stalled.update({ statusReason: 'late' }), false)
    assert.equal(await secondLease.update({ statusReason: 'in time' }), true)
    assert.equal((await context.row(id)).status_reason, 'in time')
  })

  it('blocks writes over newer credentials', async () => {
    const { id } = await context.account()
    const lease = await acquireLease(context.node(), lockKey(id))
    await context.change(id, { credential_version: 2 })
    assert.equal(await lease?.update({ status: 'needs_reauth' }), false)
    assert.equal(await acquireLease(context.node(), lockKey(id)), undefined)
  })

  it('makes callers wait, and return the old token when the wait times out', async () => {
    const { id, family } = await context.account()
    assert.ok(await acquireLease(context.node(), lockKey(id)))
    const slowNode = context.node({ refreshTimeouts: { ...shortTimeouts, waitMs: 200 } })
    const { grant } = await getValidCredentials(slowNode, id)
    assert.equal(grant.config.access_token, family.accessToken)
    await context.change(id, { token_expires_at: Date.now() - 1 })
    await assert.rejects(getValidCredentials(slowNode, id), {
      code: 'refresh_in_progress',
      statusCode: 503,
      headers: { 'retry-after': '2' },
    })
    assert.equal((await context.row(id)).status, 'active')
    assert.deepEqual(context.provider.calls, [])
  })

  it('is taken over from a crashed owner, whose token request is repeated', async () => {
    const { id, family } = await context.account({ row: { token_expires_at: Date.now() - 1 } })
    const oldRefreshToken = family.refreshToken
    const lostLease = await acquireLease(
      context.node({ refreshTimeouts: shortTimeouts }),
      lockKey(id),
    )
    await lostLease?.update({ refreshSentAt: Date.now() })
    const { grant } = await getValidCredentials(
      context.node({ refreshTimeouts: { ...shortTimeouts, leaseMs: 60_000, providerMs: 30_000 } }),
      id,
    )
    assert.deepEqual(context.provider.calls, [oldRefreshToken])
    assert.equal(grant.config.access_token, family.accessToken)
  })

  it('is ignored when it seems to last for hours, because the clock was set back', async () => {
    const lease = { lease_owner: 'other-owner', lease_until: Date.now() + 3 * HOUR }
    const { id } = await context.account({ row: lease })
    assert.ok(await acquireLease(context.node(), lockKey(id)))
  })

  it('lets two nodes share the background refresh, each account once', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => context.account()))
    await Promise.all([refreshDueAccounts(context.node()), refreshDueAccounts(context.node())])
    for (const { id, family } of accounts) {
      assert.equal((await context.config(id)).access_token, family.accessToken)
      assert.equal((await context.row(id)).credential_version, 2)
    }
    assert.equal(new Set(context.provider.calls).size, context.provider.calls.length)
    assert.equal(context.provider.reuseCount(), 0)
  })
}

/** PostgreSQL, whose own clock is used. */
function testClockSkew(context: () => RefreshTestContext): void {
  it('uses the database clock, so that a node with a wrong clock neither refreshes early nor waits unnecessarily', async () => {
    const { node, account, row, provider } = context()
    for (const skew of [-3 * HOUR, 3 * HOUR, 365 * 24 * HOUR]) {
      const skewedNode = node({ now: () => Date.now() + skew })
      const validAccount = await account({ row: { token_expires_at: Date.now() + HOUR } })
      await getValidCredentials(skewedNode, validAccount.id)
      assert.deepEqual(provider.calls, [], 'a valid token is not refreshed')
      const { id } = await account()
      assert.ok(await acquireLease(node(), lockKey(id)))
      assert.equal(
        await acquireLease(skewedNode, lockKey(id)),
        undefined,
        'the lease is still valid',
      )
      const expiredAccount = await account({ row: { token_expires_at: Date.now() - 1 } })
      await Promise.all([
        getValidCredentials(skewedNode, expiredAccount.id),
        getValidCredentials(node(), expiredAccount.id),
      ])
      assert.equal(provider.calls.splice(0).length, 1)
      const { token_expires_at } = await row(expiredAccount.id)
      assert.ok(Math.abs(Number(token_expires_at) - Date.now() - HOUR) < 10_000)
    }
  })
}

/** SQLite, where the clock of the process is used. */
function testClockJumps(context: () => RefreshTestContext): void {
  it('causes one token request when the clock jumps forwards or back', async () => {
    for (const jump of [3 * HOUR, -3 * HOUR, 365 * 24 * HOUR]) {
      const { node, account, provider } = context()
      let skew = 0
      const jumpingNode = node({ now: () => Date.now() + skew })
      const { id } = await account({ row: { token_expires_at: Date.now() - 1 } })
      await getValidCredentials(jumpingNode, id)
      skew = jump
      await Promise.all([1, 2, 3].map(() => getValidCredentials(jumpingNode, id)))
      await getValidCredentials(jumpingNode, id)
      assert.equal(provider.calls.splice(0).length, 2)
      assert.equal(provider.reuseCount(), 0)
    }
  })
}

const lockKey = (id: AccountId) => ({ accountId: id, credentialVersion: 1 })
const HOUR = 3_600_000
