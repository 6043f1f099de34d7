/** Notices when the event loop stands still: answers that arrived meanwhile look like timeouts then. */
export interface EventLoopMonitor {
  /** Whether it stood still at any time since then. */
  hasStalledSince(time: number): boolean
  stop(): void
}

/** Starts one. `now` is in milliseconds. */
export function monitorEventLoop(now: () => number): EventLoopMonitor {
  let tickAt = now()
  let stalledAt = Number.NEGATIVE_INFINITY
  const measure = (): void => {
    const at = now()
    if (at - tickAt > INTERVAL_MS + STALL_MS) stalledAt = at
    tickAt = at
  }
  const timer = setInterval(measure, INTERVAL_MS).unref()
  return {
    hasStalledSince(time) {
      measure()
      return stalledAt >= time
    },
    stop: () => clearInterval(timer),
  }
}

const INTERVAL_MS = 250
const STALL_MS = 1_000
