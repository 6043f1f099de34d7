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
import { NORMAL_SYNCHRONOUS } from '../../../../../bench/mutants/storage-mutants.ts'
import { createRandom } from '../../create-random.ts'
import { defineDesk, startDeskProvider } from '../desk-provider.ts'
import { createLedger } from '../ledger.ts'
import { createServiceSetup, startService } from '../service-process.ts'
import { startLoad } from '../write-load.ts'
import { createDisk } from './disk.ts'
import { inspectDatabase } from './inspect-database.ts'
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
    assert.ok(result.acknowledged >= WRITES, `${result.acknowledged} writes were acknowledged`)
  })

  it('loses some if SQLite does not flush its log before each acknowledgement (control)', async (t) => {
    const copy = copyRepository()
    t.after(() => copy.remove())
    const recording = await withDefect(copy.folder, NORMAL_SYNCHRONOUS, () =>
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
  while (ledger.acknowledgedCount < WRITES) await sleep(20)
  await killTraced(service.child)
  await load.stop()
  return { base, operations: await readTrace(trace, [DATABASE, `${DATABASE}-wal`]) }
}

/** Kills what strace runs; strace ends when it has written everything. */
async function killTraced(strace: ChildProcess): Promise<void> {
  const exited = once(strace, 'exit')
  const children = readFileSync(`/proc/${strace.pid}/task/${strace.pid}/children`, 'utf8')
  process.kill(Number(children), 'SIGKILL')
  await exited
}

interface Replay {
  readonly states: number
  readonly acknowledged: number
  readonly lost: string[]
  readonly broken: string[]
}

/** Cuts the power after operations that are spread over all that followed the first acknowledgement. */
async function replay(
  t: TestContext,
  { base, operations }: Recording,
  count: number,
): Promise<Replay> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-power-cut-'))
  t.after(() => rm(folder, { recursive: true }))
  const random = createRandom(SEED)
  const disk = createDisk(new Map([[DATABASE, base]]))
  const acknowledged = new Set<string>()
  const result: Replay = { states: 0, acknowledged: 0, lost: [], broken: [] }
  let states = 0
  const first = operations.findIndex((each) => listCreatedIds(each).length > 0)
  const rate = count / (operations.length - first)
  for (const [index, operation] of operations.entries()) {
    disk.apply(operation, index)
    for (const id of listCreatedIds(operation)) acknowledged.add(id)
    for (; index >= first && states < (index - first + 1) * rate; states += 1) {
      const { lost, broken } = await inspectDatabase(folder, disk.cut(random), acknowledged)
      result.lost.push(...lost)
      result.broken.push(...broken)
    }
  }
  return { ...result, states, acknowledged: acknowledged.size }
}

/** The IDs of what this response says is created. */
function listCreatedIds(operation: Operation): string[] {
  if (operation.kind !== 'send' || !operation.text.startsWith('HTTP/1.1 201')) return []
  const [, body = ''] = operation.text.split('\r\n\r\n')
  return [...body.matchAll(/"(?:linkId|integrationAccountId)":"(\w+)"/g)].map(([, id = '']) => id)
}

function describeResult({ operations }: Recording, { states, acknowledged, lost, broken }: Replay) {
  const writes = operations.filter(({ kind }) => kind === 'write').length
  return `${states} states after ${writes} writes, ${acknowledged} acknowledged creations: ${new Set(lost).size} lost in some state, ${broken.length} states damaged`
}
