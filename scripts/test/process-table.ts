import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second on Linux, on every platform that Node supports. */
export const TICKS_PER_SECOND = 100

/** A process that runs, or has ended and is not waited for yet. */
export interface ProcessEntry {
  readonly parent: number
  readonly name: string
  /** With the process ID it identifies the process: IDs are used again. */
  readonly startedAt: string
  /** CPU time in clock ticks. */
  readonly ticks: number
  /** That of the children that it has waited for. */
  readonly childTicks: number
}

/** All processes of the machine by ID; empty without /proc. */
export function readProcesses(): Map<number, ProcessEntry> {
  const processes = new Map<number, ProcessEntry>()
  for (const name of listProcessIds()) {
    const entry = readEntry(name)
    if (entry !== undefined) processes.set(Number(name), entry)
  }
  return processes
}

/** The IDs of all processes below this one. */
export function listDescendants(
  pid: number,
  processes: ReadonlyMap<number, ProcessEntry>,
): number[] {
  const isBelow = (parent: number | undefined): boolean =>
    parent !== undefined && (parent === pid || isBelow(processes.get(parent)?.parent))
  return [...processes.keys()].filter((each) => isBelow(processes.get(each)?.parent))
}

function listProcessIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Undefined when the process has exited meanwhile. */
function readEntry(pid: string): ProcessEntry | undefined {
  try {
    // The name may contain spaces, so fields are counted from its closing parenthesis (proc(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const sum = (from: number) => Number(fields[from]) + Number(fields[from + 1])
    return {
      parent: Number(fields[1]),
      name: stat.slice(stat.indexOf('(') + 1, end),
      startedAt: String(fields[19]),
      ticks: sum(11),
      childTicks: sum(13),
    }
  } catch {
    return undefined
  }
}
