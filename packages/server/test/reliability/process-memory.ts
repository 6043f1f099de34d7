import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory of a process and of all that it started, in megabytes (Linux). */
export function residentMegabytes(pid: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : undefined
    if (parent !== undefined) parents.set(Number(name), parent)
  }
  let kilobytes = 0
  for (const one of parents.keys()) if (descends(one, pid, parents)) kilobytes += residentOf(one)
  return kilobytes / 1_024
}

function parentOf(pid: number): number | undefined {
  return statusNumber(pid, 'PPid')
}

function residentOf(pid: number): number {
  return statusNumber(pid, 'VmRSS') ?? 0
}

/** Processes may end while they are looked at. */
function statusNumber(pid: number, field: string): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) || 0
  } catch {
    return undefined
  }
}

function descends(pid: number, ancestor: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = parents.get(at))
    if (at === ancestor) return true
  return false
}
