import type { Log } from '../../platform/http/log.ts'
import { keepCounts, type MetricValues } from '../observability/sum-metrics.ts'
import { Worker, type WorkerOptions } from './worker-process.ts'

export interface WorkerPoolOptions extends WorkerOptions {
  readonly count: number
  readonly log: Pick<Log, 'error'>
  /** Called when workers keep dying: the process must exit. */
  readonly onFatal: (error: Error) => void
  readonly now: () => number
}

/** The workers of a main process. */
export interface WorkerPool {
  /** The metrics of each worker, and the counts of those that have died. */
  collectMetrics(): Promise<readonly MetricValues[]>
  /** Lets workers tell clients to close their connections. */
  drain(): void
  /** Lets workers finish their requests and waits until they have ended, or kills them after the time. */
  stop(timeoutMs: number): Promise<void>
  /** While they drain: the requests that workers answer themselves and that have not ended. After `stop`: those it cut off. */
  countRequests(): number
}

/** Starts workers, and again when they die. Resolves when all are ready. */
export async function startWorkers(options: WorkerPoolOptions): Promise<WorkerPool> {
  const { count, log, now } = options
  const workers = new Set<Worker>()
  const deaths: number[] = []
  let countsOfDead: Promise<MetricValues> = Promise.resolve([])
  let isDraining = false
  let isStopping = false

  function start(onReady: () => void): void {
    const worker = new Worker(options, () => {
      if (isDraining) worker.drain()
      onReady()
    })
    workers.add(worker)
    worker.onceEnded(() => {
      if (isStopping) return
      workers.delete(worker)
      const { lastMetrics } = worker
      countsOfDead = countsOfDead.then((earlier) => keepCounts([earlier, lastMetrics]))
      deaths.push(now())
      const recentCount = deaths.filter((at) => at > now() - DEATHS_WITHIN_MS).length
      if (recentCount > MAX_DEATHS)
        return options.onFatal(new Error(`${recentCount} workers died within a minute`))
      log.error({ pid: worker.pid }, 'a worker died and is started again')
      setTimeout(() => isStopping || start(onReady), FIRST_DELAY_MS * 2 ** (recentCount - 1))
    })
  }

  await Promise.all(Array.from({ length: count }, () => new Promise<void>(start)))
  return {
    async collectMetrics() {
      const ofWorkers = [...workers].map((worker) => worker.collectMetrics())
      return Promise.all([...ofWorkers, countsOfDead])
    },
    drain() {
      isDraining = true
      for (const worker of workers) worker.drain()
    },
    async stop(timeoutMs) {
      isStopping = true
      await Promise.all([...workers].map((worker) => worker.stop(timeoutMs)))
    },
    countRequests: () =>
      [...workers].reduce((sum, { requestsInProgress }) => sum + requestsInProgress, 0),
  }
}

const FIRST_DELAY_MS = 100
const MAX_DEATHS = 5
const DEATHS_WITHIN_MS = 60_000
