import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../postgres.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import {
  fillSealedAccounts,
  openEverything,
  runKeyCommand,
  runUntilKilled,
  SOURCE_MAIN,
  withVault,
  YOUNG_DATA_KEYS,
} from './key-rounds.ts'
import { type RequestTime, startRequestLoad } from './request-load.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const ACCOUNTS = Number(process.env.KEY_ACCOUNTS ?? 10_000)
const KILLS = Number(process.env.KEY_KILLS ?? 10)
const CLIENTS = 2
const BASE_MS = 6_000
/** Of the p99 meanwhile to that before. */
const MAX_P99_RATIO = Number(process.env.KEY_P99_RATIO ?? 2)
/** A p99 below this is good, whatever it was before. */
const GOOD_P99_MS = 25

const [ONE, TWO] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`)
const RINGS = [`${ONE},${TWO}`, `${TWO},${ONE}`] as const

describe('keys rotate and keys rekey under load, on SQLite', () => {
  it(`${ACCOUNTS} accounts, ${KILLS} kills of each: none is unreadable`, async (t) => {
    await proveBoth(t, await createServiceSetup(options))
  })
})

describePostgres('keys rotate and keys rekey under load, on PostgreSQL', (server) => {
  it(`${ACCOUNTS} accounts, ${KILLS} kills of each: none is unreadable`, async (t) => {
    const databaseUrl = await server().createDatabase('key_kills')
    await proveBoth(t, await createServiceSetup({ ...options, databaseUrl }))
  })
})

const options = { keys: RINGS[0], program: SOURCE_MAIN, nodeArgs: YOUNG_DATA_KEYS }

async function proveBoth(t: TestContext, setup: ServiceSetup): Promise<void> {
  const provider = await startDeskProvider()
  const service = await startService(setup)
  t.after(async () => {
    await service.kill()
    await provider.close()
    await setup.remove()
  })
  const definitionId = await defineDesk(service, provider)
  const credentials = createDeskCredentials(definitionId, provider, 'desk_live_1')
  const body = { ...credentials, integrationAccountName: 'Support desk' }
  const { status, body: account } = await service.call('POST', '/v1/integration_account', body)
  assert.equal(status, 201, JSON.stringify(account))
  const ids = await withVault(setup, RINGS[0], (open) =>
    fillSealedAccounts(open, account.integrationAccountId, ACCOUNTS),
  )
  const load = startRequestLoad(service.url, setup.token, CLIENTS)
  const users = startAccountUsers(service, ids, body)
  // Otherwise they would keep this process running after a failure.
  t.after(() => Promise.allSettled([load.stop(), users.stop()]))
  // Starting a command takes a core of a small machine: the same holds before, with commands that change nothing.
  for (const until = performance.now() + BASE_MS; performance.now() < until; )
    await runKeyCommand(['keys', 'verify'], setup, { keys: RINGS[0] })
  const startedAt = performance.now()
  const kills = await killCommands(setup)
  const endedAt = performance.now()
  const [{ times, failures, sent }, created] = [await load.stop(), await users.stop()]
  assert.deepEqual(failures, [])
  const before = findP99(times.filter(({ at }) => at < startedAt))
  const during = findP99(times.filter(({ at }) => at >= startedAt && at < endedAt))
  const values = await withVault(setup, RINGS[1], openEverything)
  const report = await runKeyCommand(['keys', 'verify'], setup, { keys: RINGS[1] })
  t.diagnostic(
    `${kills}; ${values} sealed values, 0 unreadable, ${created} accounts created meanwhile; ${sent} requests, p99 ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms meanwhile`,
  )
  assert.deepEqual(
    [report.code, /between two data keys/.test(report.output)],
    [0, false],
    report.output,
  )
  assert.ok(values >= ACCOUNTS + created)
  assert.ok(
    during < Math.max(MAX_P99_RATIO * before, GOOD_P99_MS),
    `p99 ${before} ms, then ${during} ms`,
  )
}

/** Kills both commands; a rotation that has ended is followed by one to the other key. */
async function killCommands(setup: ServiceSetup): Promise<string> {
  let ring = 1
  let longestMs = 2_000
  const timed = async (args: readonly string[], killAfterMs?: number) => {
    const startedAt = performance.now()
    const keys = RINGS[ring] ?? RINGS[0]
    const result = await runKeyCommand(args, setup, { keys, ...(killAfterMs && { killAfterMs }) })
    if (result.code === 0) longestMs = performance.now() - startedAt
    return result
  }
  const next = () => {
    ring = 1 - ring
  }
  const rotated = await runUntilKilled((ms) => timed(['keys', 'rotate'], ms), {
    kills: KILLS,
    longestMs: () => longestMs,
    next,
  })
  longestMs = 5_000
  const rekeyed = await runUntilKilled((ms) => timed(['keys', 'rekey'], ms), {
    kills: KILLS,
    longestMs: () => longestMs,
    next: () => undefined,
  })
  return `${KILLS} kills and ${rotated.ended} ends of rotate, ${KILLS} and ${rekeyed.ended} of rekey`
}

/** Reads credentials of accounts at random, and connects new ones, whose credentials a node seals. */
function startAccountUsers(service: ServiceProcess, ids: readonly string[], body: object) {
  let isStopping = false
  let created = 0
  const running = (async () => {
    while (!isStopping) {
      const id = ids[Math.floor(Math.random() * ids.length)]
      const path = `/v1/integration_account/${id}/credentials`
      const read = await service.call('GET', path)
      // The log line of a failure follows its response.
      if (read.status !== 200) await sleep(200)
      assert.deepEqual(
        [read.status, read.body.config?.api_key],
        [200, 'desk_live_1'],
        service.recentOutput(),
      )
      const account = await service.call('POST', '/v1/integration_account', body)
      assert.equal(account.status, 201, JSON.stringify(account.body))
      created += 1
      await sleep(50)
    }
  })()
  return {
    async stop() {
      isStopping = true
      await running
      return created
    },
  }
}

function findP99(times: readonly RequestTime[]): number {
  const sorted = times.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}
