import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second on Linux, on every platform that Node supports. */
const TICKS = 100

/** CPU seconds of a process and of all processes below it that still run. NaN without /proc. */
export interface CpuSeconds {
  readonly own: number
  readonly children: number
}

export function readCpuSeconds(pid: number): CpuSeconds {
  const descendants = listDescendants(pid)
  return {
    own: readOwnCpuSeconds(pid),
    children: descendants.reduce((sum, child) => sum + (readOwnCpuSeconds(child) || 0), 0),
  }
}

/** Megabytes of memory of a process and of all processes below it; pages that they share count once (PSS). */
export function readMemoryMegabytes(pid: number): number {
  return [pid, ...listDescendants(pid)].reduce((sum, each) => sum + readPssMegabytes(each), 0)
}

function readOwnCpuSeconds(pid: number): number {
  const fields = readStat(pid)
  return fields === undefined ? Number.NaN : (Number(fields[11]) + Number(fields[12])) / TICKS
}

function readPssMegabytes(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) / 1_024
  } catch {
    return 0
  }
}

function listDescendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readProcesses()) {
    const parent = readStat(Number(name))?.[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const isBelow = (candidate: number): boolean => {
    const parent = parents.get(candidate)
    return parent !== undefined && (parent === pid || isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}

function readProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** The fields of /proc/PID/stat after the name, which may contain spaces (proc(5)). */
function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(') ') + 2).split(' ')
  } catch {
    return undefined
  }
}
