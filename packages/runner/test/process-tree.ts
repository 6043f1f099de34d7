import { readFileSync } from 'node:fs'

/** A process and all of its descendants, as reported by the system. */
export function processTree(pid: number): number[] {
  return [pid, ...listChildren(pid).flatMap(processTree)]
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has exited; only its parent has not waited for it yet.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function listChildren(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
