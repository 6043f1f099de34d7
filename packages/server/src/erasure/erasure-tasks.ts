import type { Log } from '../http/log.ts'

/** Erasures and deletions that continue on this node after the response. */
export interface ErasureTasks {
  /** Aborted when the service stops. */
  readonly signal: AbortSignal
  /** Resolves when the work is done or the time has elapsed, whichever comes first. The work continues. */
  waitAtMost(work: Promise<void>, milliseconds: number): Promise<void>
  /** Aborts the signal, and resolves when the running work has ended. */
  stop(): Promise<void>
}

/** Tracks running erasures, so that the service can wait for them when it stops. */
export function createErasureTasks(log: Log): ErasureTasks {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  return {
    signal: stopping.signal,
    async waitAtMost(work, milliseconds) {
      const tracked = work
        .catch((error) => {
          if (!stopping.signal.aborted) log.warn({ err: error }, 'an erasure was interrupted')
        })
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
