import { setTimeout as sleep } from 'node:timers/promises'

/** The same job, measured: see WorkMetrics. */
export type ObserveJob = <A extends readonly unknown[], T>(
  name: string,
  run: (...args: A) => Promise<T>,
) => (...args: A) => Promise<T>

/** Background work in rounds, one at a time. */
export interface Rounds {
  /** Starts no round; resolves when the one in progress has completed. */
  stop(): Promise<void>
}

export interface RoundsOptions {
  /** Returns whether there is more to do: the next round then does not wait. Ends early when `signal` is aborted. */
  readonly round: (signal: AbortSignal) => Promise<boolean>
  readonly onError: (error: unknown) => void
  /** The longest time between two rounds: other processes may have left work. */
  readonly pollMs: number
  /** The same until the first round. Default: `pollMs`. */
  readonly firstMs?: number
  /** Whether both times vary by 25 %, so that nodes that started together drift apart. */
  readonly isJittered?: boolean
  /** Between two rounds while there is more to do, for the requests that wait. Default: none. */
  readonly pauseMs?: number
  /** Rounds follow commits, too. */
  readonly afterCommits?: CommitOptions
}

interface CommitOptions {
  readonly database: { onCommit(listener: () => void): () => void }
  /** Commits within this time share a round. */
  readonly delayMs: number
  /** The shortest time between the starts of two rounds that follow commits. Default: none. */
  readonly intervalMs?: number
}

/** Starts rounds. After an error they continue with the next poll or commit. `wake` starts one, or another after the one in progress. */
export function startRounds(options: RoundsOptions): Rounds & { readonly wake: () => void } {
  const {
    round,
    onError,
    pollMs,
    firstMs = pollMs,
    isJittered,
    pauseMs = 0,
    afterCommits,
  } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let isDue = false
  let running: Promise<void> | undefined
  let poll: NodeJS.Timeout | undefined
  const run = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      if (!(await round(signal))) continue
      isDue = true
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
  const wake = () => {
    if (signal.aborted) return
    isDue = true
    clearTimeout(poll)
    running ??= run()
      .catch(onError)
      .finally(() => {
        running = undefined
        schedule(pollMs)
      })
  }
  const schedule = (waitMs: number) => {
    if (!signal.aborted) poll = setTimeout(wake, isJittered ? addJitter(waitMs) : waitMs).unref()
  }
  schedule(firstMs)
  const unfollow = afterCommits && followCommits(afterCommits, wake)
  return {
    wake,
    async stop() {
      stopping.abort()
      unfollow?.()
      clearTimeout(poll)
      await running
    },
  }
}

/** Milliseconds, ±25 %. */
export function addJitter(ms: number, random: () => number = Math.random): number {
  return ms * (0.75 + 0.5 * random())
}

/** Starts rounds of several jobs, one after the other. One that fails does not keep the others from running. */
export function startSweeps(
  sweeps: readonly (() => Promise<unknown>)[],
  options: Omit<RoundsOptions, 'round'>,
): Rounds {
  return startRounds({
    ...options,
    async round(signal) {
      for (const sweep of sweeps) if (!signal.aborted) await sweep().catch(options.onError)
      return false
    },
  })
}

/**
 * Runs a step that handles at most `size` things until one handles fewer, at most `max` times: the next round of the work
 * continues.
 */
export async function inBatches(
  { size, max }: { readonly size: number; readonly max: number },
  step: (size: number) => Promise<number>,
): Promise<void> {
  for (let batch = 0; batch < max; batch += 1) if ((await step(size)) < size) return
}

/** Writes what is collected in memory from time to time. */
export interface Flushes {
  /** Resolves when what is collected now is written, or remains for the next flush. Never rejects. */
  flush(): Promise<void>
  /** Stops the timer and flushes. Never rejects. */
  stop(): Promise<void>
}

/**
 * Starts flushes in this interval. At most one runs and one is queued, so that a stalled database does not accumulate them.
 *
 * @param write never rejects. `isLast`: everything is to be written
 */
export function startFlushing(
  write: (isLast: boolean) => Promise<void>,
  intervalMs: number,
): Flushes {
  let inProgress = Promise.resolve()
  let queued: Promise<void> | undefined
  let isLast = false
  const flush = () => {
    queued ??= inProgress.then(() => {
      queued = undefined
      inProgress = write(isLast)
      return inProgress
    })
    return queued
  }
  const timer = setInterval(flush, intervalMs).unref()
  return {
    flush,
    stop() {
      clearInterval(timer)
      isLast = true
      return flush()
    },
  }
}

/** Returns a function that ends it. */
function followCommits(
  { database, delayMs, intervalMs = 0 }: CommitOptions,
  wake: () => void,
): () => void {
  let delay: NodeJS.Timeout | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  const removeListener = database.onCommit(() => {
    if (delay !== undefined) return
    const waitMs = Math.max(delayMs, startedAt + intervalMs - performance.now())
    delay = setTimeout(() => {
      delay = undefined
      startedAt = performance.now()
      wake()
    }, waitMs).unref()
  })
  return () => {
    removeListener()
    clearTimeout(delay)
  }
}
