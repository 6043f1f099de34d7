/** Detects when the event loop is blocked: responses that arrive meanwhile look like timeouts. */
export interface EventLoopMonitor {
  /** Returns true if the event loop was blocked at any time since then. */
  hasStalledSince(time: number): boolean
  stop(): void
}

/** Starts a monitor. `now` returns milliseconds. */
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
