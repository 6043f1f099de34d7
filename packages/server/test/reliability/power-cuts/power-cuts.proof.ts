import assert from 'node:assert/strict'
import { mkdtemp, open, rm } from 'node:fs/promises'
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
const FILES = ['linchpin.db', 'linchpin.db-wal']

describe('A power cut at any moment (SQLite)', () => {
  it('loses no acknowledged write, and leaves none half there', async (t) => {
    const operations = await record(t)
    const result = await replay(t, operations, STATES)
    t.diagnostic(`seed ${SEED}: ${describeResult(operations, result)}`)
    assert.deepEqual([result.lost, result.broken], [[], []])
    assert.ok(result.acknowledged >= WRITES, `${result.acknowledged} writes were acknowledged`)
  })

  it('loses some if SQLite does not flush its log before each acknowledgement (control)', async (t) => {
    const copy = copyRepository()
    t.after(() => copy.remove())
    const operations = await withDefect(copy.folder, NORMAL_SYNCHRONOUS, () =>
      record(t, path.join(copy.folder, 'packages/server/src/main.ts')),
    )
    const result = await replay(t, operations, CONTROL_STATES)
    t.diagnostic(`control, seed ${SEED}: ${describeResult(operations, result)}`)
    assert.ok(result.lost.length > 0)
  })
})

/** Every write to the database of a real service, while clients write. */
async function record(t: TestContext, program?: string): Promise<Operation[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-power-cuts-'))
  t.after(() => rm(folder, { recursive: true }))
  const trace = path.join(folder, 'trace')
  const setup = await createServiceSetup({
    wrapper: ['strace', ...STRACE_ARGS, '-o', trace],
    program,
  })
  t.after(() => setup.remove())
  const provider = await startDeskProvider()
  t.after(() => provider.close())
  const service = await startService(setup)
  const definitionId = await defineDesk(service, provider)
  const ledger = createLedger()
  const load = startLoad(service, { ledger, provider, definitionId, prefix: 'cut' })
  while (ledger.acknowledgedCount < WRITES) await sleep(20)
  await service.kill()
  await load.stop()
  await waitForEnd(trace)
  return readTrace(trace, FILES)
}

/** The first thread of a process is the last that strace reports. */
async function waitForEnd(trace: string): Promise<void> {
  const file = await open(trace)
  const [first = ''] = (await file.read({ length: 10 })).buffer.toString().split(' ')
  for (;;) {
    const { size } = await file.stat()
    const { buffer } = await file.read({ length: 100, position: size - 100 })
    if (new RegExp(`^${first} +\\+{3} killed`, 'm').test(buffer.toString())) break
    await sleep(50)
  }
  await file.close()
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
  operations: readonly Operation[],
  count: number,
): Promise<Replay> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-power-cut-'))
  t.after(() => rm(folder, { recursive: true }))
  const random = createRandom(SEED)
  const disk = createDisk()
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

function describeResult(
  operations: readonly Operation[],
  { states, acknowledged, lost, broken }: Replay,
) {
  const writes = operations.filter(({ kind }) => kind === 'write').length
  return `${states} states after ${writes} writes, ${acknowledged} acknowledged creations: ${lost.length} lost, ${broken.length} states damaged`
}
