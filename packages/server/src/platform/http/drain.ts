/** Whether the service is about to stop. */
export interface DrainState {
  isDraining: boolean
}

/** The requests that have no complete response yet. */
export type RequestsInProgress = ReadonlySet<RequestInProgress>

/** A request of the framework, or one that it does not see. */
export interface RequestInProgress {
  readonly method: string
  readonly routeOptions: { readonly url?: string | undefined }
}

/** The methods and route templates of requests, at most 20 of them, for the log. They contain no IDs. */
export function describeRequests(requests: RequestsInProgress): string[] {
  return [...requests]
    .slice(0, 20)
    .map(({ method, routeOptions }) => `${method} ${routeOptions.url ?? 'unknown'}`)
}

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
