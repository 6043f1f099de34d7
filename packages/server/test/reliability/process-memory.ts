import { readdirSync, readFileSync } from 'node:fs'

/** The resident memory of a process and its descendants, in megabytes (Linux). */
export function readResidentMegabytes(pid: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? getParentPid(Number(name)) : undefined
    if (parent !== undefined) parents.set(Number(name), parent)
  }
  let kilobytes = 0
  for (const childPid of parents.keys())
    if (isDescendant(childPid, pid, parents)) kilobytes += getResidentKilobytes(childPid)
  return kilobytes / 1_024
}

function getParentPid(pid: number): number | undefined {
  return readStatusNumber(pid, 'PPid')
}

function getResidentKilobytes(pid: number): number {
  return readStatusNumber(pid, 'VmRSS') ?? 0
}

/** Processes may exit while this code reads them. */
function readStatusNumber(pid: number, field: string): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) || 0
  } catch {
    return undefined
  }
}

function isDescendant(
  pid: number,
  ancestor: number,
  parents: ReadonlyMap<number, number>,
): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = parents.get(at))
    if (at === ancestor) return true
  return false
}
