import { readCpuSeconds } from './process-tree.ts'
import { median } from './statistics.ts'
import type { BenchmarkedService } from './subject.ts'

/** One write, in a full database and in an almost empty one. */
export interface WriteComparison {
  readonly name: string
  readonly full: WriteMetrics
  readonly empty: WriteMetrics
}

/** The median of all rounds, and the least CPU time, in microseconds of the service per request. */
export interface WriteMetrics {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly leastCpuMicros: number
}

interface Write {
  readonly perSecond: number
  readonly cpuMicros: number
}

const CLIENTS = 8

/**
 * Creates accounts and deletes them again, alternately on both services, so that other load on the machine affects
 * both.
 */
export async function compareWrites(
  full: BenchmarkedService,
  empty: BenchmarkedService,
  { rounds, accounts }: { readonly rounds: number; readonly accounts: number },
): Promise<WriteComparison[]> {
  const creates = { full: [] as Write[], empty: [] as Write[] }
  const deletes = { full: [] as Write[], empty: [] as Write[] }
  const runRound = async (side: 'full' | 'empty', isWarmUp: boolean) => {
    const subject = side === 'full' ? full : empty
    const ids: string[] = []
    const created = await measureWrites(subject, accounts, async () => {
      const body = { ...subject.credentials, integrationAccountName: 'Support desk' }
      const response = await subject.service.call('POST', '/v1/integration_account', body)
      if (response.status !== 201) throw new Error(JSON.stringify(response.body))
      ids.push(response.body.integrationAccountId)
    })
    const deleted = await measureWrites(subject, accounts, async () => {
      const path = `/v1/integration_account/${ids.pop()}`
      const response = await subject.service.call('DELETE', path)
      if (response.status !== 200) throw new Error(JSON.stringify(response.body))
    })
    if (isWarmUp) return
    creates[side].push(created)
    deletes[side].push(deleted)
  }
  for (let round = -1; round < rounds; round += 1)
    for (const side of ['full', 'empty'] as const) await runRound(side, round < 0)
  return [
    { name: 'create account (checked)', ...summarizeSides(creates) },
    { name: 'delete account', ...summarizeSides(deletes) },
  ]
}

async function measureWrites(
  { service }: BenchmarkedService,
  count: number,
  write: () => Promise<void>,
): Promise<Write> {
  const cpuFrom = readCpuSeconds(service.pid).own
  const startedAt = performance.now()
  let left = count
  const client = async () => {
    while (left-- > 0) await write()
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const seconds = (performance.now() - startedAt) / 1_000
  const cpuSeconds = readCpuSeconds(service.pid).own - cpuFrom
  return { perSecond: count / seconds, cpuMicros: (cpuSeconds * 1e6) / count }
}

function summarizeSides(sides: Readonly<Record<'full' | 'empty', readonly Write[]>>) {
  return { full: summarize(sides.full), empty: summarize(sides.empty) }
}

function summarize(writes: readonly Write[]): WriteMetrics {
  const cpuMicros = writes.map((write) => write.cpuMicros)
  return {
    perSecond: median(writes.map((write) => write.perSecond)),
    cpuMicros: median(cpuMicros),
    leastCpuMicros: Math.min(...cpuMicros),
  }
}
