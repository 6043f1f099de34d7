import type { Log } from '../../http/log.ts'

/** Previews that this node works on after they were answered. */
export interface PreviewTasks {
  /** Ends with the service. */
  readonly signal: AbortSignal
  /** Resolves when the work is done or the time is over, whichever is first. The work goes on. */
  waitAtMost(work: Promise<void>, milliseconds: number): Promise<void>
  /** Starts nothing new, and resolves when what runs has ended. */
  stop(): Promise<void>
}

/** Keeps the work of previews, so that a service that stops can wait for it. */
export function createPreviewTasks(log: Log): PreviewTasks {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  return {
    signal: stopping.signal,
    async waitAtMost(work, milliseconds) {
      const tracked = work
        .catch((error) => log.warn({ err: error }, 'a preview failed'))
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
