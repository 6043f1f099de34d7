import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountRow } from '../../src/accounts/accounts/account.ts'
import {
  type StrictProvider,
  startStrictProvider,
} from '../../src/accounts/accounts/token-refresh/test/strict-provider.ts'
import { describePostgres, type PostgresDatabases } from '../postgres.ts'
import { startStubServer } from '../stub-server.ts'
import { connectOAuth, type OAuthAccount } from './oauth-account.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

/** The production lease, and a stop that lasts longer. */
const LEASE_MS = 30_000
const STOPPED_MS = 40_000
const GRACE_MS = 60_000

describePostgres('Three nodes with real leases', (server) => {
  it('keep refreshing when one is stopped for 40 s and one is killed during a refresh', async (t) => {
    const { stopped, killed, left: survivor, connect } = await start(t, server())
    // Stops the holder before the provider rotates the token, while the response is in the socket, and during a proxied
    // request.
    const silentConnection = await connect('silent')
    const answeredConnection = await connect('answered', GRACE_MS)
    const rejectedConnection = await connect('refused')
    // Kills the holder between the response and the commit: at a provider with a grace period, and at one without.
    const lostConnection = await connect('lost', GRACE_MS)
    const noGraceConnection = await connect('unforgiven')
    const [family] = rejectedConnection.provider.families
    assert.ok(family)
    // Both nodes have cached that the bundle has no HEADERS, so they do not acquire the lease for it.
    for (const node of [stopped, survivor])
      assert.equal(await callProxy(node, rejectedConnection), 200)
    family.accessToken = 'another-than-the-account-has'
    await Promise.all(
      [silentConnection, answeredConnection, lostConnection, noGraceConnection].map((connection) =>
        connection.account.expire(),
      ),
    )

    const nodeKilled = Promise.withResolvers<void>()
    const heldRequests = [
      holdRotation(silentConnection, 'beforeRotation'),
      holdRotation(rejectedConnection, 'beforeRotation'),
      ...[answeredConnection, lostConnection, noGraceConnection].map((connection) =>
        holdRotation(connection, 'afterRotation', nodeKilled.promise),
      ),
    ]
    const delayed = [
      useCredentials(stopped, silentConnection),
      useCredentials(stopped, answeredConnection),
      callProxy(stopped, rejectedConnection),
    ]
    const aborted = [
      useCredentials(killed, lostConnection),
      useCredentials(killed, noGraceConnection),
    ].map((pending) => pending.catch(() => 'cut'))
    await Promise.all(heldRequests)
    stopped.child.kill('SIGSTOP')
    await killed.kill()
    nodeKilled.resolve()

    const observations = await Promise.all([
      ...[silentConnection, answeredConnection, lostConnection, noGraceConnection].map(
        (connection) => observe(() => useCredentials(survivor, connection)),
      ),
      observe(() => callProxy(survivor, rejectedConnection)),
    ])
    stopped.child.kill('SIGCONT')
    assert.deepEqual(await Promise.all(delayed), ['good', 'good', 200])
    assert.deepEqual(await Promise.all(aborted), ['cut', 'cut'])

    const [silentOutcome, answeredOutcome, lostOutcome, noGraceOutcome, rejectedOutcome] =
      observations
    for (const observation of [silentOutcome, answeredOutcome, lostOutcome])
      assert.deepEqual(observation?.turns, ['refresh_in_progress', 'good'])
    assert.deepEqual(noGraceOutcome?.turns, ['refresh_in_progress', 'needs_reauth'])
    assert.deepEqual(rejectedOutcome?.turns, [401, 200])
    for (const { turnedAfterMs: lastChangeMs } of observations)
      assert.ok(lastChangeMs > LEASE_MS - 5_000 && lastChangeMs < STOPPED_MS, `${lastChangeMs}`)
    t.diagnostic(
      `taken over after ${observations.map((observation) => Math.round(observation.turnedAfterMs))} ms`,
    )

    // The writes of the stopped node after it resumed were rejected, and all nodes return the same token.
    assert.match(stopped.recentOutput(), /finished too late/)
    for (const connection of [
      silentConnection,
      answeredConnection,
      rejectedConnection,
      lostConnection,
    ]) {
      const { provider, account } = connection
      assert.deepEqual([provider.calls.length, provider.reuseCount()], [2, 0], connection.name)
      assert.equal(
        new Set(provider.calls).size,
        1,
        'all nodes have all nodes have the same refresh token',
      )
      assert.equal((await getAccountRow(account)).credential_version, 2)
      assert.equal(await retryOverloaded(() => useCredentials(stopped, connection)), 'good')
      assert.equal(await useCredentials(survivor, connection), 'good')
      assert.equal(provider.calls.length, 2)
    }
    const { status, status_reason } = await getAccountRow(noGraceConnection.account)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'reply_lost'])
    assert.equal(noGraceConnection.provider.calls.length, 2)
  })
})

interface Connection {
  readonly name: string
  readonly provider: StrictProvider
  readonly account: OAuthAccount
}

async function start(t: TestContext, server: PostgresDatabases) {
  const databaseUrl = await server.createDatabase('stopped_holder')
  const setup = await createServiceSetup({ databaseUrl })
  const sharedOptions = { databaseUrl, token: setup.token, keys: setup.keys }
  const setups = [
    setup,
    await createServiceSetup(sharedOptions),
    await createServiceSetup(sharedOptions),
  ]
  const nodes: ServiceProcess[] = []
  const stubServer = await startStubServer()
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const { child } of nodes) child.kill('SIGCONT')
    await Promise.all(nodes.map((node) => node.kill()))
    await Promise.all([stubServer.close(), ...closing.map((close) => close())])
    await Promise.all(setups.map((each) => each.remove()))
  })
  for (const each of setups) nodes.push(await startService(each))
  const [stopped, killed, survivor] = nodes
  assert.ok(stopped && killed && survivor)
  const connect = async (name: string, graceMs = 0): Promise<Connection> => {
    const provider = await startStrictProvider()
    closing.push(() => provider.close())
    provider.graceMs = graceMs
    const now = Date.now()
    const row = { token_expires_at: now + 3_600_000, refresh_at: now + 3_000_000 }
    const account = await connectOAuth(survivor, setup, stubServer, provider, { name, row })
    closing.push(() => account.database.close())
    return { name, provider, account }
  }
  return { stopped, killed, left: survivor, connect }
}

/**
 * Holds the first request at the token endpoint until the returned function is called. Resolves when that request has
 * arrived.
 */
function holdRotation(
  { provider }: Connection,
  stage: 'beforeRotation' | 'afterRotation',
  release?: Promise<void>,
): Promise<void> {
  const requestReached = Promise.withResolvers<void>()
  provider[stage] = async () => {
    provider[stage] = undefined
    requestReached.resolve()
    await release
    return release === undefined
  }
  return requestReached.promise
}

type Outcome = string | number

/** Gets credentials and uses them; returns `good`, `dead`, or the error code. */
async function useCredentials(
  node: ServiceProcess,
  { account, provider }: Connection,
): Promise<Outcome> {
  const path = `/v1/integration_account/${account.id}/credentials`
  const { status, body } = await node.call('GET', path)
  if (status !== 200) return body.error
  const authorization = `Bearer ${body.config.access_token}`
  const response = await fetch(`${provider.url}/me`, { headers: { authorization } })
  await response.text()
  return response.status === 200 ? 'good' : 'dead'
}

/** Returns the status of the provider's API through the proxy. */
async function callProxy(node: ServiceProcess, { account }: Connection): Promise<Outcome> {
  return (await node.call('GET', `/v1/integration_account/${account.id}/proxy/me`)).status
}

/**
 * Probes repeatedly while the holder is stopped; returns the outcomes without repetitions, and the time of the last
 * change.
 */
async function observe(probe: () => Promise<Outcome>) {
  const startedAt = performance.now()
  const outcomes: Outcome[] = []
  let lastChangeMs = 0
  while (performance.now() - startedAt < STOPPED_MS) {
    const outcome = await probe()
    if (outcome !== outcomes.at(-1)) {
      outcomes.push(outcome)
      lastChangeMs = performance.now() - startedAt
    }
    await sleep(400)
  }
  return { turns: outcomes, turnedAfterMs: lastChangeMs }
}

/** A process that has just resumed rejects requests as overloaded for a moment. */
async function retryOverloaded(probe: () => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const outcome = await probe()
    if (outcome !== 'overloaded') return outcome
    await sleep(500)
  }
  return 'overloaded'
}

function getAccountRow({ database, id }: OAuthAccount): Promise<AccountRow> {
  return database.read
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
}
