/** Limits of one proxied request. */
export interface ProxyLimits {
  /** From the first attempt to the last byte of the response, including a token refresh and a retry, in milliseconds. */
  readonly totalMs: number
  /** Maximum time without data from the provider inside a response, in milliseconds. */
  readonly idleMs: number
  /** Maximum size of a body in either direction, in bytes. */
  readonly maxBytes: number
}

/** The limits in production. */
export const PROXY_LIMITS: ProxyLimits = {
  totalMs: 60_000,
  idleMs: 30_000,
  maxBytes: 25 * 1024 * 1024,
}
