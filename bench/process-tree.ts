import { readFileSync } from 'node:fs'
import { listDescendants, readProcesses, TICKS_PER_SECOND } from '../scripts/test/process-table.ts'

/** CPU seconds of a process and of all processes below it that still run. NaN without /proc. */
export interface CpuSeconds {
  readonly own: number
  readonly children: number
}

export function readCpuSeconds(pid: number): CpuSeconds {
  const processes = readProcesses()
  const sumTicks = (ids: number[]) =>
    ids.reduce((sum, each) => sum + (processes.get(each)?.ticks ?? Number.NaN), 0)
  return {
    own: sumTicks([pid]) / TICKS_PER_SECOND,
    children: sumTicks(listDescendants(pid, processes)) / TICKS_PER_SECOND,
  }
}

/** Megabytes of memory of a process and of all processes below it; pages that they share count once (PSS). */
export function readMemoryMegabytes(pid: number): number {
  return [pid, ...listDescendants(pid, readProcesses())].reduce(
    (sum, each) => sum + readPssMegabytes(each),
    0,
  )
}

function readPssMegabytes(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) / 1_024
  } catch {
    return 0
  }
}
