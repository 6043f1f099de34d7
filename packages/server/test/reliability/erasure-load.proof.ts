import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { describePostgres } from '../postgres.ts'
import { MARK } from './customer-accounts.ts'
import {
  type RunningService,
  readFiles,
  startErasingService,
  waitForReceipt,
} from './erasing-service.ts'
import { readResidentMegabytes } from './process-memory.ts'
import { createServiceSetup, type ServiceSetup } from './service-process.ts'

const count = Number(process.env.ERASURE_LOAD_ACCOUNTS ?? 10_000)
/** Of the requests of another tenant meanwhile. */
const maxP99Ms = Number(process.env.ERASURE_P99_MS ?? 20)

describe('A service that erases much, on SQLite', () => {
  it(`${count} accounts of a customer, and of a workspace: others are served meanwhile`, async (t) => {
    await measureBoth(t, await createServiceSetup())
  })
})

describePostgres('A service that erases much, on PostgreSQL', (server) => {
  it(`${count} accounts of a customer, and of a workspace: others are served meanwhile`, async (t) => {
    const databaseUrl = await server().createDatabase('erases_much')
    await measureBoth(t, await createServiceSetup({ databaseUrl }))
  })
})

async function measureBoth(t: TestContext, setup: ServiceSetup): Promise<void> {
  const { service, fill, erase, remove } = await startErasingService(t, setup, count)
  await measure(t, service, 'a customer', async () => {
    assert.equal((await waitForReceipt(erase)).erased.accounts, count)
  })
  if (setup.databaseUrl === undefined) assert.ok(!readFiles(setup).includes(MARK))
  await fill()
  await measure(t, service, 'a workspace', async () => {
    assert.equal((await remove()).status, 200)
    const database = await openDatabase({
      url: setup.databaseUrl,
      file: join(setup.dataDir, 'linchpin.db'),
      readOnly: true,
    })
    const isRunning = () =>
      database.read
        .selectFrom('workspace_deletions')
        .select('workspace_id')
        .where('finished_at', 'is', null)
        .executeTakeFirst()
    while ((await isRunning()) !== undefined) await sleep(50)
    await database.close()
  })
}

/** Reports how long the work takes, and how long requests of another tenant take meanwhile. */
async function measure(
  t: TestContext,
  { current }: RunningService,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const { body: other } = await current.call('POST', '/v1/user', {
    email: `${crypto.randomUUID()}@example.com`,
  })
  let isRunning = true
  const times: number[] = []
  const asking = (async () => {
    while (isRunning) {
      const startedAt = performance.now()
      const { status } = await current.call('GET', '/v1/link', undefined, other.token)
      assert.equal(status, 200)
      times.push(performance.now() - startedAt)
      await sleep(2)
    }
  })()
  const before = Math.round(readResidentMegabytes(current.pid))
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1_000
  const after = Math.round(readResidentMegabytes(current.pid))
  isRunning = false
  await asking
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  const latency = `p50 ${at(0.5).toFixed(1)}, p99 ${at(0.99).toFixed(1)}, max ${times.at(-1)?.toFixed(1)} ms`
  t.diagnostic(
    `${name} with ${count} accounts: ${seconds.toFixed(1)} s, ${before} to ${after} MB; others ${latency}`,
  )
  assert.ok(at(0.99) <= maxP99Ms, latency)
}
