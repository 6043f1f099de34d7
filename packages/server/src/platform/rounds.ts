import { setTimeout as sleep } from 'node:timers/promises'

/** The same job, measured: see WorkMetrics. */
export type ObserveJob = <T>(name: string, run: () => Promise<T>) => () => Promise<T>

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

/** Starts rounds. After an error they continue with the next poll or commit. */
export function startRounds(options: RoundsOptions): Rounds {
  const { round, onError, pollMs, pauseMs = 0, afterCommits } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let isDue = false
  let running: Promise<void> | undefined
  const run = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      if (!(await round(signal))) continue
      isDue = true
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
  const wake = () => {
    isDue = true
    running ??= run()
      .catch(onError)
      .finally(() => {
        running = undefined
      })
  }
  const poll = setInterval(wake, pollMs).unref()
  const unfollow = afterCommits && followCommits(afterCommits, wake)
  return {
    async stop() {
      stopping.abort()
      unfollow?.()
      clearInterval(poll)
      await running
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
