import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type StrictProvider,
  startStrictProvider,
} from '../../src/account/renewal/test/strict-provider.ts'
import type { AccountRow } from '../../src/storage/tables.ts'
import { startOrigin } from '../origin.ts'
import { describePostgres, type TestPostgres } from '../postgres.ts'
import { connectOAuth, type OAuthAccount } from './oauth-account.ts'
import { newPlace, type ServiceProcess, startService } from './service-process.ts'

/** The real one, and a stop that is longer. */
const LEASE_MS = 30_000
const STOPPED_MS = 40_000
const GRACE_MS = 60_000

describePostgres('three nodes with real leases', (server) => {
  it('go on when one is stopped for 40 s and one is killed while they renew', async (t) => {
    const { stopped, killed, left, connect } = await start(t, server())
    // Stopped: before the provider has acted, with the answer in the socket, and in a request of the proxy.
    const silent = await connect('silent')
    const answered = await connect('answered', GRACE_MS)
    const refused = await connect('refused')
    // Killed between the answer and the commit: at a provider that forgives, and at one that does not.
    const lost = await connect('lost', GRACE_MS)
    const unforgiven = await connect('unforgiven')
    const [family] = refused.provider.families
    assert.ok(family)
    // Both know by now that the bundle makes no headers, for which they would take the lease.
    for (const node of [stopped, left]) assert.equal(await ask(node, refused), 200)
    family.accessToken = 'another-than-the-account-has'
    await Promise.all([silent, answered, lost, unforgiven].map((one) => one.account.expire()))

    const gone = Promise.withResolvers<void>()
    const held = [
      hold(silent, 'beforeRotation'),
      hold(refused, 'beforeRotation'),
      ...[answered, lost, unforgiven].map((one) => hold(one, 'afterRotation', gone.promise)),
    ]
    const late = [use(stopped, silent), use(stopped, answered), ask(stopped, refused)]
    const never = [use(killed, lost), use(killed, unforgiven)].map((one) => one.catch(() => 'cut'))
    await Promise.all(held)
    stopped.child.kill('SIGSTOP')
    await killed.kill()
    gone.resolve()

    const watched = await Promise.all([
      ...[silent, answered, lost, unforgiven].map((one) => watch(() => use(left, one))),
      watch(() => ask(left, refused)),
    ])
    stopped.child.kill('SIGCONT')
    assert.deepEqual(await Promise.all(late), ['good', 'good', 200])
    assert.deepEqual(await Promise.all(never), ['cut', 'cut'])

    const [ofSilent, ofAnswered, ofLost, ofUnforgiven, ofRefused] = watched
    for (const seen of [ofSilent, ofAnswered, ofLost])
      assert.deepEqual(seen?.turns, ['renewal_in_progress', 'good'])
    assert.deepEqual(ofUnforgiven?.turns, ['renewal_in_progress', 'needs_reauth'])
    assert.deepEqual(ofRefused?.turns, [401, 200])
    for (const { turnedAfterMs } of watched)
      assert.ok(turnedAfterMs > LEASE_MS - 5_000 && turnedAfterMs < STOPPED_MS, `${turnedAfterMs}`)
    t.diagnostic(`taken over after ${watched.map((one) => Math.round(one.turnedAfterMs))} ms`)

    // What the stopped one wrote after it woke up was refused, and all agree.
    assert.match(stopped.lastWords(), /came too late/)
    for (const one of [silent, answered, refused, lost]) {
      const { provider, account } = one
      assert.deepEqual([provider.calls.length, provider.kills()], [2, 0], one.name)
      assert.equal(new Set(provider.calls).size, 1, 'the same refresh token')
      assert.equal((await rowOf(account)).credential_version, 2)
      assert.equal(await calm(() => use(stopped, one)), 'good')
      assert.equal(await use(left, one), 'good')
      assert.equal(provider.calls.length, 2)
    }
    const { status, status_reason } = await rowOf(unforgiven.account)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'reply_lost'])
    assert.equal(unforgiven.provider.calls.length, 2)
  })
})

interface Connection {
  readonly name: string
  readonly provider: StrictProvider
  readonly account: OAuthAccount
}

async function start(t: TestContext, server: TestPostgres) {
  const databaseUrl = await server.createDatabase('stopped_holder')
  const place = await newPlace({ databaseUrl })
  const same = { databaseUrl, token: place.token, keys: place.keys }
  const places = [place, await newPlace(same), await newPlace(same)]
  const nodes: ServiceProcess[] = []
  const origin = await startOrigin()
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const { child } of nodes) child.kill('SIGCONT')
    await Promise.all(nodes.map((node) => node.kill()))
    await Promise.all([origin.close(), ...closing.map((close) => close())])
    await Promise.all(places.map((each) => each.remove()))
  })
  for (const each of places) nodes.push(await startService(each))
  const [stopped, killed, left] = nodes
  assert.ok(stopped && killed && left)
  const connect = async (name: string, graceMs = 0): Promise<Connection> => {
    const provider = await startStrictProvider()
    closing.push(() => provider.close())
    provider.graceMs = graceMs
    const now = Date.now()
    const row = { token_expires_at: now + 3_600_000, renew_at: now + 3_000_000 }
    const account = await connectOAuth(left, place, origin, provider, { name, row })
    closing.push(() => account.database.close())
    return { name, provider, account }
  }
  return { stopped, killed, left, connect }
}

/** Keeps the first request at the token endpoint: until then, else for ever. Resolves when it is there. */
function hold(
  { provider }: Connection,
  when: 'beforeRotation' | 'afterRotation',
  until?: Promise<void>,
): Promise<void> {
  const there = Promise.withResolvers<void>()
  provider[when] = async () => {
    provider[when] = undefined
    there.resolve()
    await until
    return until === undefined
  }
  return there.promise
}

type Outcome = string | number

/** Asks for credentials and uses them: `good`, `dead`, or the code of the refusal. */
async function use(node: ServiceProcess, { account, provider }: Connection): Promise<Outcome> {
  const path = `/v1/integration_account/${account.id}/credentials`
  const { status, body } = await node.call('GET', path)
  if (status !== 200) return body.error
  const authorization = `Bearer ${body.config.access_token}`
  const answer = await fetch(`${provider.url}/me`, { headers: { authorization } })
  await answer.text()
  return answer.status === 200 ? 'good' : 'dead'
}

/** The status that the provider's API answers through the proxy. */
async function ask(node: ServiceProcess, { account }: Connection): Promise<Outcome> {
  return (await node.call('GET', `/v1/integration_account/${account.id}/proxy/me`)).status
}

/** What came again and again while the holder was stopped, repetitions left out, and when it changed last. */
async function watch(look: () => Promise<Outcome>) {
  const startedAt = performance.now()
  const turns: Outcome[] = []
  let turnedAfterMs = 0
  while (performance.now() - startedAt < STOPPED_MS) {
    const seen = await look()
    if (seen !== turns.at(-1)) {
      turns.push(seen)
      turnedAfterMs = performance.now() - startedAt
    }
    await sleep(400)
  }
  return { turns, turnedAfterMs }
}

/** A process that has just woken up finds itself overloaded for a moment. */
async function calm(look: () => Promise<Outcome>): Promise<Outcome> {
  for (let tries = 0; tries < 20; tries += 1) {
    const seen = await look()
    if (seen !== 'overloaded') return seen
    await sleep(500)
  }
  return 'overloaded'
}

function rowOf({ database, id }: OAuthAccount): Promise<AccountRow> {
  return database.read
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
}
