import type { RateLimiter, RateUsage } from './rate-limiter.ts'

/** The limiter of a main process, which also knows what its workers have accepted: together they are one node. */
export interface NodeLimiter extends RateLimiter {
  /** Replaces what a worker has accepted. What a worker that has died had accepted stays counted. */
  reportWorker(workerId: number, usages: readonly RateUsage[]): void
  /** What all other processes of this node, and other nodes, have accepted of keys in much use. */
  listOthers(workerId: number): RateUsage[]
}

/** The processes of this node; negative numbers are not of workers. */
const MAIN = -1
const OTHER_NODES = -2

/** Of each key and minute, what a process has accepted. */
type Usages = Map<string, RateUsage>

/** Combines the limiter of the main process with the reports of the others. */
export function createNodeLimiter(main: RateLimiter, now: () => number): NodeLimiter {
  const processes = new Map<number, Usages>()
  const replace = (processId: number, usages: readonly RateUsage[]) => {
    const known = processes.get(processId) ?? new Map()
    for (const usage of usages) known.set(`${usage.minute} ${usage.key}`, usage)
    processes.set(processId, known)
  }
  const removeOld = (minute: number) => {
    for (const [processId, usages] of processes) {
      for (const [key, usage] of usages) if (usage.minute < minute - 1) usages.delete(key)
      if (usages.size === 0) processes.delete(processId)
    }
  }
  const sumAllBut = (excludedId: number): RateUsage[] => {
    const sums = new Map<string, RateUsage>()
    for (const [processId, usages] of processes)
      if (processId !== excludedId)
        for (const [key, usage] of usages)
          sums.set(key, { ...usage, count: usage.count + (sums.get(key)?.count ?? 0) })
    return [...sums.values()]
  }
  const exchange = () => {
    removeOld(Math.floor(now() / MINUTE_MS))
    replace(MAIN, main.listUsage())
    main.reportOthers(sumAllBut(MAIN))
  }
  return {
    ...main,
    listUsage() {
      exchange()
      const minute = Math.floor(now() / MINUTE_MS)
      return sumAllBut(OTHER_NODES).filter((usage) => usage.minute === minute)
    },
    reportOthers(usages) {
      replace(OTHER_NODES, usages)
      exchange()
    },
    reportWorker: replace,
    listOthers(workerId) {
      exchange()
      return sumAllBut(workerId)
    },
  }
}

const MINUTE_MS = 60_000
