import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyRepository } from '../../../../../bench/mutants/copy-repository.ts'
import { withDefect } from '../../../../../bench/mutants/run-mutant.ts'
import { UNSYNCED_COMMITS } from '../../../../../bench/mutants/storage-mutants.ts'
import { createRandom } from '../../create-random.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from '../desk-provider.ts'
import { createLedger } from '../ledger.ts'
import { createServiceSetup, type ServiceProcess, startService } from '../service-process.ts'
import { startLoad } from '../write-load.ts'
import { createDisk } from './disk.ts'
import { inspectDatabase, NEW_NAME } from './inspect-database.ts'
import { type Operation, readTrace, STRACE_ARGS } from './read-trace.ts'

const STATES = Number(process.env.POWER_CUTS ?? 500)
const WRITES = Number(process.env.POWER_CUT_WRITES ?? 100)
const CONTROL_STATES = 100
const SEED = Number(process.env.POWER_CUT_SEED ?? Date.now() % 1_000_000)
const DATABASE = 'linchpin.db'

describe('A power cut at any moment (SQLite)', () => {
  it('loses no acknowledged write, and leaves none half there', async (t) => {
    const recording = await record(t)
    const result = await replay(t, recording, STATES)
    t.diagnostic(`seed ${SEED}: ${describeResult(recording, result)}`)
    assert.deepEqual([result.lost, result.broken], [[], []])
    const { renamed, deleted, created } = result.acknowledged
    assert.ok(created >= WRITES && renamed > 0 && deleted > 0, JSON.stringify(result.acknowledged))
    assert.ok(countCheckpoints(recording.operations) > 0)
  })

  it('loses some if the log is not flushed before each acknowledgement (control)', async (t) => {
    const copy = copyRepository()
    t.after(() => copy.remove())
    const recording = await withDefect(copy.folder, UNSYNCED_COMMITS, () =>
      record(t, path.join(copy.folder, 'packages/server/src/main.ts')),
    )
    const result = await replay(t, recording, CONTROL_STATES)
    t.diagnostic(`control, seed ${SEED}: ${describeResult(recording, result)}`)
    assert.ok(result.lost.length > 0)
  })
})

interface Recording {
  /** The database before. */
  readonly base: Buffer
  readonly operations: readonly Operation[]
}

/** Every write to the database of a real service, while clients write. */
async function record(t: TestContext, program?: string): Promise<Recording> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-power-cuts-'))
  t.after(() => rm(folder, { recursive: true }))
  const trace = path.join(folder, 'trace')
  const setup = await createServiceSetup({ program })
  t.after(() => setup.remove())
  await (await startService(setup)).stop()
  const base = await readFile(path.join(setup.dataDir, DATABASE))
  const provider = await startDeskProvider()
  t.after(() => provider.close())
  const wrapper = ['strace', ...STRACE_ARGS, '-o', trace]
  const service = await startService({ ...setup, wrapper })
  const definitionId = await defineDesk(service, provider)
  const ledger = createLedger()
  const load = startLoad(service, { ledger, provider, definitionId, prefix: 'cut' })
  const credentials = createDeskCredentials(definitionId, provider, KEY)
  const changes = Array.from({ length: CHANGING_CLIENTS }, () =>
    changeUntilKilled(service, credentials),
  )
  // Long enough for checkpoints, which come three seconds after a commit.
  await sleep(RECORD_MS)
  while (ledger.acknowledgedCount < WRITES) await sleep(20)
  await killTraced(service.child)
  await Promise.all([load.stop(), ...changes])
  return { base, operations: await readTrace(trace, [DATABASE, `${DATABASE}-wal`]) }
}

/** Renames links and deletes accounts, one after the other. */
async function changeUntilKilled(service: ServiceProcess, credentials: object): Promise<void> {
  const account = { ...credentials, integrationAccountName: 'To be deleted' }
  try {
    for (;;) {
      const link = await service.call('POST', '/v1/link', { linkName: 'To be renamed' })
      const path = `/v1/link/${link.body.linkId}`
      await Promise.all([
        service.call('POST', path, { linkName: NEW_NAME }),
        // What another client has seen of it must not be lost, either.
        ...Array.from({ length: READS }, () => service.call('GET', path)),
      ])
      const { body } = await service.call('POST', '/v1/integration_account', account)
      await service.call('DELETE', `/v1/integration_account/${body.integrationAccountId}`)
    }
  } catch (error) {
    // The connection broke.
    assert.ok(error instanceof TypeError, String(error))
  }
}

const CHANGING_CLIENTS = 8
const RECORD_MS = 8_000
const READS = 3
const KEY = 'desk_live_deleted'

/** Kills what strace runs; strace ends when it has written everything. */
async function killTraced(strace: ChildProcess): Promise<void> {
  const exited = once(strace, 'exit')
  const children = readFileSync(`/proc/${strace.pid}/task/${strace.pid}/children`, 'utf8')
  process.kill(Number(children), 'SIGKILL')
  await exited
}

type Kind = 'created' | 'renamed' | 'deleted'

interface Replay {
  readonly states: number
  readonly acknowledged: Readonly<Record<Kind, number>>
  readonly lost: string[]
  readonly broken: string[]
}

/** Cuts the power after operations that are spread over all that followed the first acknowledgement. */
async function replay(
  t: TestContext,
  { base, operations }: Recording,
  stateCount: number,
): Promise<Replay> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-power-cut-'))
  t.after(() => rm(folder, { recursive: true }))
  const random = createRandom(SEED)
  const disk = createDisk(new Map([[DATABASE, base]]))
  const acknowledged = new Set<string>()
  const result: Pick<Replay, 'lost' | 'broken'> = { lost: [], broken: [] }
  let states = 0
  const first = operations.findIndex((each) => listAcknowledged(each).length > 0)
  const rate = stateCount / (operations.length - first)
  for (const [index, operation] of operations.entries()) {
    disk.apply(operation, index)
    for (const fact of listAcknowledged(operation)) acknowledged.add(fact)
    for (; index >= first && states < (index - first + 1) * rate; states += 1) {
      const { lost, broken } = await inspectDatabase(folder, disk.cut(random), acknowledged)
      result.lost.push(...lost)
      result.broken.push(...broken)
    }
  }
  const count = (kind: Kind) => [...acknowledged].filter((fact) => fact.startsWith(kind)).length
  return {
    ...result,
    states,
    acknowledged: {
      created: count('created'),
      renamed: count('renamed'),
      deleted: count('deleted'),
    },
  }
}

/** What this response says is created, renamed or deleted. */
function listAcknowledged(operation: Operation): string[] {
  if (operation.kind !== 'send') return []
  const [head = '', body = ''] = operation.text.split('\r\n\r\n')
  const [, id] = /"(?:linkId|integrationAccountId)":"(\w+)"/.exec(body) ?? []
  if (id === undefined) return []
  if (head.startsWith('HTTP/1.1 201')) return [`created ${id}`]
  if (!head.startsWith('HTTP/1.1 200')) return []
  return [
    ...(body.includes(`"linkName":"${NEW_NAME}"`) ? [`renamed ${id}`] : []),
    ...(body.includes('"deleted":"') ? [`deleted ${id}`] : []),
  ]
}

/** How often SQLite began to move its log into the database. */
function countCheckpoints(operations: readonly Operation[]): number {
  const files = operations.flatMap((each) => (each.kind === 'write' ? [each.file] : []))
  return files.filter((file, index) => file === DATABASE && files[index - 1] !== DATABASE).length
}

function describeResult({ operations }: Recording, { states, acknowledged, lost, broken }: Replay) {
  const writes = operations.filter(({ kind }) => kind === 'write').length
  return `${states} states after ${writes} writes and ${countCheckpoints(operations)} checkpoints, acknowledged: ${JSON.stringify(acknowledged)}; ${new Set(lost).size} lost in some state, ${broken.length} states damaged`
}
