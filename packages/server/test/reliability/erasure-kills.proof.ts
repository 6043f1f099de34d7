import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { MARK } from './customer-accounts.ts'
import {
  type RunningService,
  readFiles,
  startErasingService,
  waitForReceipt,
} from './erasing-service.ts'
import { createServiceSetup, type ServiceSetup, startService } from './service-process.ts'

const kills = Number(process.env.ERASURE_KILLS ?? 1)
const count = Number(process.env.ERASURE_ACCOUNTS ?? 200)
const seed = Number(process.env.ERASURE_SEED ?? Date.now() % 1_000_000)

describe('kill -9 of a service that erases, on SQLite', () => {
  it(`a customer with ${count} accounts is erased completely after ${kills} kills`, async (t) => {
    const setup = await createServiceSetup()
    const { service, erase } = await startErasingService(t, setup, count)
    await runWithKills(t, { setup, service, request: erase })
    const receipt = await waitForReceipt(erase)
    assert.equal(receipt.erased.accounts, count, `seed ${seed}`)
    assert.ok(!readFiles(setup).includes(MARK), `seed ${seed}`)
  })

  it(`a workspace with ${count} accounts is erased completely after ${kills} kills`, async (t) => {
    const setup = await createServiceSetup()
    const { service, remove } = await startErasingService(t, setup, count)
    await runWithKills(t, { setup, service, request: remove })
    // The service may have been killed before it received the request.
    await remove().catch(() => undefined)
    const database = await openDatabase({
      file: join(setup.dataDir, 'linchpin.db'),
      readOnly: true,
    })
    t.after(() => database.close())
    const isFinished = async () => {
      const rows = await database.read.selectFrom('workspace_deletions').selectAll().execute()
      return rows.length === 1 && rows[0]?.finished_at !== null
    }
    const deadline = Date.now() + 120_000
    while (!(await isFinished())) {
      assert.ok(Date.now() < deadline, `seed ${seed}`)
      await sleep(100)
    }
    assert.ok(!readFiles(setup).includes(MARK), `seed ${seed}`)
  })
})

/** Sends the request again and again, and kills the service at a random moment of each. */
async function runWithKills(
  t: TestContext,
  run: {
    readonly setup: ServiceSetup
    readonly service: RunningService
    readonly request: () => Promise<unknown>
  },
): Promise<void> {
  const moments: number[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const request = run.request().catch(() => undefined)
    const ms = Math.round((((seed * (kill + 7) * 7919) % 1000) / 1000) * count)
    moments.push(ms)
    await sleep(ms)
    await run.service.current.kill()
    await request
    await endLeases(run.setup)
    run.service.current = await startService(run.setup)
  }
  t.diagnostic(`seed ${seed}: killed after ${moments.join(', ')} ms`)
}

/** As if thirty seconds had passed. */
async function endLeases({ dataDir }: ServiceSetup): Promise<void> {
  const database = await openDatabase({ file: join(dataDir, 'linchpin.db') })
  await database.transaction(async (trx) => {
    const isRunning = trx.updateTable('erasures').where('alive_until', 'is not', null)
    await isRunning.set({ alive_until: 1 }).execute()
    const isFirst = trx.updateTable('workspace_deletions').where('finished_at', 'is', null)
    await isFirst.set({ alive_until: 1 }).execute()
  })
  await database.close()
}
