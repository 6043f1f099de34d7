import { startService } from '../packages/server/test/reliability/service-process.ts'
import { readCpuSeconds } from './process-tree.ts'
import { type Range, toRange } from './statistics.ts'
import type { BenchmarkedService } from './subject.ts'
import { create } from './subject.ts'

/** What starts of a stopped service took. */
export interface StartMetrics {
  readonly readyMs: Range
  /** CPU time of the service until it was ready. */
  readonly readyCpuMs: Range
  /** From then on until the first account was created. */
  readonly firstCreateMs: Range
}

interface Start {
  readonly readyMs: number
  readonly readyCpuMs: number
  readonly firstCreateMs: number
}

/** Starts stopped services alternately, with the first create of an account each time. */
export async function compareStarts(
  subjects: readonly BenchmarkedService[],
  count: number,
): Promise<StartMetrics[]> {
  const starts = subjects.map((): Start[] => [])
  for (let round = 0; round < count; round += 1)
    for (const [index, subject] of subjects.entries())
      starts[index]?.push(await measureStart(subject))
  return starts.map((each) => ({
    readyMs: toRange(each.map((start) => start.readyMs)),
    readyCpuMs: toRange(each.map((start) => start.readyCpuMs)),
    firstCreateMs: toRange(each.map((start) => start.firstCreateMs)),
  }))
}

async function measureStart({ setup, credentials }: BenchmarkedService): Promise<Start> {
  const service = await startService(setup)
  try {
    const readyCpuMs = readCpuSeconds(service.pid).own * 1_000
    const startedAt = performance.now()
    await create(service, 'integration_account', {
      ...credentials,
      integrationAccountName: 'First after a start',
    })
    const firstCreateMs = performance.now() - startedAt
    return { readyMs: service.readyAfterMs, readyCpuMs, firstCreateMs }
  } finally {
    await service.stop()
  }
}
