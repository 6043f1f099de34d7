import { readFileSync } from 'node:fs'

/** A process and all that come from it, as far as the system tells. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)]
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended; only its parent has not looked yet.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
