import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { describePostgres } from '../postgres.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createKeyedClient, type KeyedRequest } from './keyed-client.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const keys = Number(process.env.IDEMPOTENCY_KEYS ?? 12)
const sends = Number(process.env.IDEMPOTENCY_SENDS ?? 4)
const kills = Number(process.env.IDEMPOTENCY_KILLS ?? 1)
const nodes = Number(process.env.IDEMPOTENCY_NODES ?? 2)

/** Claims end that much earlier after each kill, those of live processes too, so that the short form does not wait for 30 s. */
const cutMs = Number(process.env.IDEMPOTENCY_CUT_MS ?? 27_000)

/** A claim lasts 30 seconds after its process has died. */
const MAX_STUCK_MS = 35_000 - cutMs

describe('Requests with Idempotency-Key on SQLite', () => {
  it(`${keys} keys, ${sends} requests each, ${kills} kills: one effect per key`, async (t) => {
    await runKeyedRequests(t, [await createServiceSetup()])
  })
})

describePostgres('Requests with Idempotency-Key on PostgreSQL', (server) => {
  it(`${nodes} nodes, ${keys} keys, ${sends} requests each, ${kills} kills: one effect per key`, async (t) => {
    const databaseUrl = await server().createDatabase('idempotency')
    const first = await createServiceSetup({ databaseUrl })
    const setups = [first]
    for (let count = 1; count < nodes; count += 1)
      setups.push(await createServiceSetup({ databaseUrl, token: first.token }))
    await runKeyedRequests(t, setups)
  })
})

async function runKeyedRequests(t: TestContext, setups: readonly ServiceSetup[]): Promise<void> {
  const provider = await startDeskProvider({ slowMs: 100 })
  t.after(() => provider.close())
  const services: ServiceProcess[] = []
  for (const setup of setups) services.push(await startService(setup))
  t.after(async () => {
    await Promise.all(services.map((service) => service.kill()))
    await Promise.all(setups.map((setup) => setup.remove()))
  })
  const definitionId = await defineDesk(services[0] as ServiceProcess, provider)
  const credentials = createDeskCredentials(definitionId, provider, 'desk_live_1')
  const requests = Array.from({ length: keys }, (_, index): KeyedRequest => {
    const name = `keyed ${index}`
    const body =
      index % 3 === 0 ? { linkName: name } : { ...credentials, integrationAccountName: name }
    const path = index % 3 === 0 ? '/v1/link' : '/v1/integration_account'
    return { key: crypto.randomUUID(), path, body }
  })
  const client = createKeyedClient(setups)
  const running = requests.flatMap((request) =>
    Array.from({ length: sends }, () => client.send(request)),
  )
  const finished = Promise.all(running)
  for (let kill = 0; kill < kills; kill += 1) {
    await client.waitForResponses(((kill + 1) * keys * sends) / (kills + 2))
    const index = kill % setups.length
    await services[index]?.kill()
    if (cutMs > 0) await shortenClaims(setups[0] as ServiceSetup)
    services[index] = await startService(setups[index] as ServiceSetup)
  }
  const responses = await finished
  for (const [index, { key }] of requests.entries()) {
    const own = responses.slice(index * sends, (index + 1) * sends)
    assert.equal(new Set(own.map(({ text }) => text)).size, 1, `${key} has several responses`)
  }
  assert.ok(
    client.longestStuckMs() <= MAX_STUCK_MS,
    `a key was stuck for ${client.longestStuckMs()} ms`,
  )
  t.diagnostic(
    `${client.retries()} retries, ${client.replays()} replays, stuck for at most ${client.longestStuckMs()} ms`,
  )
  assert.equal(await countEffects(t, setups[0] as ServiceSetup, services), keys)
}

/** On SQLite, the claims of a dead process end when the next one starts. */
async function shortenClaims({ databaseUrl }: ServiceSetup): Promise<void> {
  if (databaseUrl === undefined) return
  const database = await openDatabase({ url: databaseUrl })
  await database.transaction((trx) =>
    trx
      .updateTable('idempotency_keys')
      .set((eb) => ({ claim_until: eb('claim_until', '-', cutMs) }))
      .where('state', '=', 'running')
      .execute(),
  )
  await database.close()
}

async function countEffects(
  t: TestContext,
  { databaseUrl, dataDir }: ServiceSetup,
  services: readonly ServiceProcess[],
): Promise<number> {
  await Promise.all(services.map((service) => service.stop()))
  const database = await openDatabase({ url: databaseUrl, file: `${dataDir}/linchpin.db` })
  t.after(() => database.close())
  const links = await database.read.selectFrom('links').select('link_id').execute()
  const accounts = await database.read.selectFrom('accounts').select('account_id').execute()
  return links.length + accounts.length
}
