/** Whom an overload concerns: a tenant that sends more than its share, or all tenants. */
export type OverloadScope = 'tenant' | 'service'

/**
 * Returns a function that tells what a request shows that was just rejected with `overloaded`: `service` if those of at least
 * three tenants were rejected within the last minute, or it has none, because requests are rejected before they have a tenant.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createOverloadScope(
  now: () => number,
): (tenant: string | undefined) => OverloadScope {
  /** When a request of a tenant was rejected last; the latest is last. */
  const rejectedAt = new Map<string, number>()
  return (tenant) => {
    if (tenant === undefined) return 'service'
    const at = now()
    rejectedAt.delete(tenant)
    rejectedAt.set(tenant, at)
    for (const [other, last] of rejectedAt)
      if (last <= at - WINDOW_MS || rejectedAt.size > TENANTS_OF_SERVICE) rejectedAt.delete(other)
    return rejectedAt.size >= TENANTS_OF_SERVICE ? 'service' : 'tenant'
  }
}

const WINDOW_MS = 60_000
const TENANTS_OF_SERVICE = 3
