/** Limits of one call of a bundle. */
export interface Limits {
  /** Linear memory of the VM, in MiB. A hard limit. */
  readonly memoryMb: number
  /** CPU time, in milliseconds. Waiting does not count. */
  readonly cpuMs: number
  /** Time from start to result, in milliseconds. */
  readonly wallMs: number
  /** Requests through the egress gateway. */
  readonly requests: number
  /** One response body, in bytes. */
  readonly responseBytes: number
  /** One request body, in bytes. */
  readonly requestBytes: number
  /** The result as JSON, in bytes. */
  readonly resultBytes: number
  /** Concurrent timers. */
  readonly timers: number
}

/** The limits of a call. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  memoryMb: 64,
  cpuMs: 3_000,
  wallMs: 15_000,
  requests: 50,
  responseBytes: 5 * 1024 * 1024,
  requestBytes: 1024 * 1024,
  resultBytes: 1024 * 1024,
  timers: 1_000,
})
