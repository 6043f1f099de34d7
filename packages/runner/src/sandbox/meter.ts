/** Measures the CPU time of one call and decides when it has to stop. */
export class Meter {
  readonly #cpuMs: number
  #wallEnd: number
  readonly #latestEnd: number
  #sliceMs: number
  #usedMs = 0
  #startedAt = 0
  #nextCheckAt = 0
  /** Why the call was stopped, once it was. */
  stopReason: 'cpu' | 'slice' | 'wall' | undefined

  /** `sliceMs`: CPU time that the call may use while others wait. Absent: as much as `cpuMs`. */
  constructor(cpuMs: number, wallMs: number, sliceMs = cpuMs) {
    this.#cpuMs = cpuMs
    this.#sliceMs = Math.min(sliceMs, cpuMs)
    this.#wallEnd = performance.now() + wallMs
    this.#latestEnd = this.#wallEnd + wallMs
  }

  /** CPU time so far, in milliseconds. */
  get usedMs(): number {
    return this.#usedMs
  }

  /** The limit that a computing guest reaches first. */
  get limit(): 'cpu' | 'slice' {
    return this.#sliceMs < this.#cpuMs ? 'slice' : 'cpu'
  }

  get wallEnd(): number {
    return this.#wallEnd
  }

  /** Adds wall time: the guest could not compute because another one did. */
  extendWall(ms: number): void {
    this.#wallEnd = Math.min(this.#wallEnd + ms, this.#latestEnd)
  }

  /** Adds time to the slice. */
  extendSlice(ms: number): void {
    this.#sliceMs = Math.min(this.#sliceMs + ms, this.#cpuMs)
  }

  /** The guest starts to compute. */
  start(): void {
    this.#startedAt = getThreadCpuMs()
    const left = Math.max(0, this.#sliceMs - this.#usedMs)
    this.#nextCheckAt = Math.min(performance.now() + left, this.#wallEnd)
  }

  /** The guest stops computing. */
  stop(): void {
    this.#usedMs += getThreadCpuMs() - this.#startedAt
  }

  /** The call has ended: the guest must stop at once. */
  stopImmediately(): void {
    this.stopReason ??= 'cpu'
  }

  /** Called often while the guest computes. Returns true if it must stop. */
  isExpired(): boolean {
    if (this.stopReason !== undefined) return true
    const now = performance.now()
    if (now < this.#nextCheckAt) return false
    if (now >= this.#wallEnd) this.stopReason = 'wall'
    else {
      // On a busy machine this thread gets less than its full time: only the CPU time it used counts.
      const left = this.#sliceMs - this.#usedMs - (getThreadCpuMs() - this.#startedAt)
      if (left <= 0) this.stopReason = this.limit
      else this.#nextCheckAt = Math.min(now + left, this.#wallEnd)
    }
    return this.stopReason !== undefined
  }

  /**
   * When a guest that never asks is stopped by force: a monotonic time in milliseconds. Ask again then, because on a busy
   * machine this thread gets less than its full time: a time in the past means that the guest must stop.
   */
  forcedStopAt(): number {
    const now = performance.now()
    const usedInStep = getThreadCpuMs() - this.#startedAt
    const cpuLeft = Math.max(0, this.#sliceMs - this.#usedMs) * 2 - usedInStep
    return Math.min(now + cpuLeft, this.#wallEnd) + GRACE_MS
  }
}

const GRACE_MS = 300

function getThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
