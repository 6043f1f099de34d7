import assert from 'node:assert/strict'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { WorkspaceId } from '../../src/access/workspaces/workspace.ts'
import { createAuditChainStore } from '../../src/activity/audit/audit-chain-store.ts'
import { verifyExport } from '../../src/activity/audit/verify/verify-export.ts'
import type { Database, Transaction } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { describeOwnPostgres } from '../postgres.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const ENTRIES = Number(process.env.AUDIT_ENTRIES ?? 4_000)
/** The goals hold for a quiet machine and the full length. */
const IS_FULL = ENTRIES >= 1_000_000
const MAX_PAGE_MS = 10
const MAX_EXPORT_MS = 60_000
const MAX_EXPORT_MB = 40

describe('An audit trail of a million entries (SQLite)', () => itIsFast(async () => undefined))

describeOwnPostgres('An audit trail of a million entries (PostgreSQL)', (server) =>
  itIsFast(() => server().createDatabase('audit_scale')),
)

function itIsFast(createUrl: () => Promise<string | undefined>): void {
  it(`is chained, listed by any filter within ${MAX_PAGE_MS} ms, exported in ${MAX_EXPORT_MB} MB, and verified`, async (t) => {
    const setup = await createServiceSetup({
      databaseUrl: await createUrl(),
      nodeArgs: ['--max-semi-space-size=8'],
    })
    t.after(() => setup.remove())
    const workspaceId = await createOwner(setup)
    const database = await openDatabase(
      setup.databaseUrl === undefined
        ? { file: path.join(setup.dataDir, 'linchpin.db') }
        : { url: setup.databaseUrl },
    )
    await fill(database, workspaceId)
    await chain(t, database, workspaceId)
    await database.close()

    const service = await startService(setup)
    t.after(() => service.kill())
    const pages = await measurePages(t, service, setup)
    // The first one also fills the caches of the database connection and of the compiler, which stay.
    await measureExport(t, service, setup)
    const exported = await measureExport(t, service, setup)
    if (!IS_FULL) return
    for (const [query, ms] of pages) assert.ok(ms <= MAX_PAGE_MS, `${query}: ${ms} ms`)
    assert.ok(exported.ms <= MAX_EXPORT_MS, `${exported.ms} ms`)
    assert.ok(exported.mb <= MAX_EXPORT_MB, `${exported.mb} MB`)
  })
}

/** Starts the service once, which creates its owner and workspace. */
async function createOwner(setup: ServiceSetup): Promise<WorkspaceId> {
  const service = await startService(setup)
  const { body } = await service.call('GET', '/v1/user')
  assert.equal(await service.stop(), 0)
  return body.Workspace[0].workspaceId
}

/** A hundred actions, tokens and addresses, and one in 100,000 entries that is rare. */
async function fill(database: Database, workspaceId: WorkspaceId): Promise<void> {
  for (let start = 0; start < ENTRIES; start += FILL_BATCH)
    await database.transaction((trx) =>
      insertEntries(trx, workspaceId, start, Math.min(start + FILL_BATCH, ENTRIES)),
    )
}

const FILL_BATCH = 50_000
const START = Date.now() - ENTRIES * 1_000
const RARE_EVERY = Math.min(100_000, ENTRIES / 4)

async function insertEntries(
  trx: Transaction,
  workspaceId: WorkspaceId,
  start: number,
  end: number,
): Promise<void> {
  const number = (text: string) => sql.raw(`cast(n % ${text} as text)`)
  const isRare = sql.raw(`n % ${RARE_EVERY} = 7`)
  await sql`
    with recursive numbers (n) as (select ${sql.lit(start)} union all select n + 1 from numbers where n < ${sql.lit(end - 1)})
    insert into audit_inbox (event_id, at, workspace_id, user_id, token_id, action, subject, detail, request_id,
      actor_kind, via, ip, outcome)
    select 'aud_' || cast(${sql.lit(10_000_000)} + n as text), ${sql.lit(START)} + n * 1000, ${sql.lit(workspaceId)},
      case when ${isRare} then 'usr_rare' else 'usr_' || ${number('5')} end,
      case when ${isRare} then 'tok_rare' else 'tok_' || ${number('100')} end,
      case when ${isRare} then 'account.rare' else 'account.action_' || ${number('100')} end,
      'acc_' || ${number('20000')}, '{"definitionId":"def_01kahn2s6kf5arr5d1x6z5cq3b","status":"active"}',
      '5d0f31ad-6ac1-4a52-8ea1-3a8f6d0c5c11', 'token', 'api',
      case when ${isRare} then '203.0.113.1' else '192.0.2.' || ${number('100')} end,
      case when ${isRare} then 'refused' else 'done' end
    from numbers`.execute(trx)
}

/** The first batches are as large as those of the service. */
async function chain(t: TestContext, database: Database, workspaceId: WorkspaceId): Promise<void> {
  const chains = createAuditChainStore(database)
  const chainBatches = async (limit: number, count: number) => {
    const startedAt = performance.now()
    let chained = 0
    while (chained < count) {
      const batch = await chains.chain([workspaceId], { limit, now: Date.now() })
      if (batch.count === 0) break
      chained += batch.count
    }
    return (chained / (performance.now() - startedAt)) * 1_000
  }
  const rate = await chainBatches(200, Math.min(20_000, ENTRIES))
  await chainBatches(2_000, Number.POSITIVE_INFINITY)
  t.diagnostic(`chaining: ${Math.round(rate)} entries per second`)
}

const RARE = [
  'action=account.rare',
  'actor=usr_rare',
  'tokenId=tok_rare',
  'ip=203.0.113.1',
  'outcome=refused',
]
const FREQUENT = [
  'action=account.action_1',
  'actor=usr_1',
  'tokenId=tok_1',
  'subject=acc_77',
  'ip=192.0.2.1',
  'outcome=done',
]
const NONE = [
  'action=none',
  'actor=usr_none',
  'tokenId=tok_none',
  'subject=acc_none',
  'ip=10.0.0.1',
]

/** The median of the durations of the first page, by filter. */
async function measurePages(
  t: TestContext,
  service: ServiceProcess,
  setup: ServiceSetup,
): Promise<Map<string, number>> {
  const middle = new Date(START + (ENTRIES / 2) * 1_000).toISOString()
  const queries = ['', ...RARE, ...FREQUENT, ...NONE, `from=${middle}`, `to=${middle}`]
  const combined = [
    `to=${middle}&action=account.rare&outcome=refused`,
    'subject=acc_77&action=none',
  ]
  const results = new Map<string, number>()
  for (const query of [...queries, ...combined]) {
    const times: number[] = []
    let count = 0
    for (let round = 0; round < 21; round++) {
      const startedAt = performance.now()
      const response = await fetch(`${service.url}/api/v1/audit?${query}`, authorize(setup))
      const text = await response.text()
      times.push(performance.now() - startedAt)
      assert.equal(response.status, 200, text)
      count = JSON.parse(text).length
    }
    times.sort((one, other) => one - other)
    const median = times[10] ?? 0
    results.set(query, median)
    t.diagnostic(`list ${query || 'all'}: ${median.toFixed(1)} ms, ${count} entries`)
  }
  return results
}

async function measureExport(t: TestContext, service: ServiceProcess, setup: ServiceSetup) {
  const file = path.join(setup.dataDir, 'export.jsonl')
  const before = readMemory(service.pid)
  let highest = before
  const sampling = setInterval(() => {
    highest = Math.max(highest, readMemory(service.pid))
  }, 50)
  const startedAt = performance.now()
  const response = await fetch(`${service.url}/api/v1/audit/export`, authorize(setup))
  assert.ok(response.body)
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file))
  const ms = performance.now() - startedAt
  await sleep(100)
  clearInterval(sampling)
  const mb = highest - before
  const verifiedAt = performance.now()
  const { entries, findings } = await verifyExport(() =>
    createInterface({ input: createReadStream(file) }),
  )
  const verifyMs = performance.now() - verifiedAt
  assert.deepEqual(findings, [])
  assert.ok(entries >= ENTRIES)
  const seconds = (duration: number) => `${(duration / 1_000).toFixed(1)} s`
  t.diagnostic(`export: ${seconds(ms)}, ${mb.toFixed(0)} MB more; verified in ${seconds(verifyMs)}`)
  return { ms, mb }
}

/** The resident memory of a process, in MB. */
function readMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

function authorize({ token }: ServiceSetup) {
  return { headers: { authorization: `Bearer ${token}` } }
}
