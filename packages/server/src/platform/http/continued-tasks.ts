/** Work of requests that continues on this node after the response. */
export interface ContinuedTasks {
  /** Aborted when the service stops. */
  readonly signal: AbortSignal
  /** Resolves when the work is done or the time has elapsed, whichever comes first. The work continues. */
  waitAtMost(work: Promise<void>, milliseconds: number): Promise<void>
  /** Aborts the signal, and resolves when the running work has ended. */
  stop(): Promise<void>
}

/** Tracks running work, so that the service can wait for it when it stops. */
export function createContinuedTasks(
  onError: (error: unknown, isStopping: boolean) => void,
): ContinuedTasks {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  return {
    signal: stopping.signal,
    async waitAtMost(work, milliseconds) {
      const tracked = work
        .catch((error) => onError(error, stopping.signal.aborted))
        .finally(() => running.delete(tracked))
      running.add(tracked)
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, milliseconds)
      await Promise.race([tracked, promise])
      clearTimeout(timer)
    },
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
