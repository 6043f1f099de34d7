/** How much one request through the proxy may take. */
export interface ProxyLimits {
  /** From the first try to the last byte of the answer, renewal and second try included, in milliseconds. */
  readonly totalMs: number
  /** Longest silence of the provider inside an answer, in milliseconds. */
  readonly idleMs: number
  /** Largest body, in bytes, in both directions. */
  readonly maxBytes: number
}

/** Of production. */
export const PROXY_LIMITS: ProxyLimits = {
  totalMs: 60_000,
  idleMs: 30_000,
  maxBytes: 25 * 1024 * 1024,
}
