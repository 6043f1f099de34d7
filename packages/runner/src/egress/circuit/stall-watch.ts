/** Notices when the event loop stands still: answers that arrived meanwhile look like timeouts then. */
export interface StallWatch {
  /** Whether it stood still at any time since then. */
  hasStalledSince(time: number): boolean
  stop(): void
}

/** Starts one. `now` is in milliseconds. */
export function watchStalls(now: () => number): StallWatch {
  let tickAt = now()
  let stalledAt = Number.NEGATIVE_INFINITY
  const look = (): void => {
    const at = now()
    if (at - tickAt > EVERY_MS + STALL_MS) stalledAt = at
    tickAt = at
  }
  const timer = setInterval(look, EVERY_MS).unref()
  return {
    hasStalledSince(time) {
      look()
      return stalledAt >= time
    },
    stop: () => clearInterval(timer),
  }
}

const EVERY_MS = 250
const STALL_MS = 1_000
