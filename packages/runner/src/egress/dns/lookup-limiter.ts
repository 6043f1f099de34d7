import type { Tenant } from '../egress.ts'

/** Limits the lookups in flight. */
export interface LookupLimiter {
  /**
   * Acquires a slot. @returns the function that releases it; undefined when the tenant, or all tenants together, have
   * too many lookups in flight
   */
  acquire(tenant: Tenant | undefined): (() => void) | undefined
}

/** Limits of lookups in flight. */
export interface LookupLimits {
  readonly perLink: number
  readonly perWorkspace: number
  /** Once this many lookups are in flight in total, a workspace gets at most `reducedPerWorkspace`. */
  readonly busyThreshold: number
  readonly reducedPerWorkspace: number
  /** In total, including the service's own requests. */
  readonly total: number
}

export const DEFAULT_LOOKUP_LIMITS: LookupLimits = {
  perLink: 16,
  perWorkspace: 64,
  busyThreshold: 512,
  reducedPerWorkspace: 4,
  total: 2_048,
}

/**
 * Slots per link, per workspace and in total. A request of the service itself has no tenant; only the total applies to
 * it.
 */
export function createLookupLimiter(limits: LookupLimits = DEFAULT_LOOKUP_LIMITS): LookupLimiter {
  const inFlight = new Map<string, number>()
  let total = 0
  const adjust = (key: string, delta: number): void => {
    const count = (inFlight.get(key) ?? 0) + delta
    if (count === 0) inFlight.delete(key)
    else inFlight.set(key, count)
  }
  return {
    acquire(tenant) {
      if (total >= limits.total) return undefined
      const workspaceLimit =
        total >= limits.busyThreshold ? limits.reducedPerWorkspace : limits.perWorkspace
      const applicable = listApplicableLimits(tenant, workspaceLimit, limits.perLink)
      if (applicable.some(([key, limit]) => (inFlight.get(key) ?? 0) >= limit)) return undefined
      for (const [key] of applicable) adjust(key, 1)
      total += 1
      return () => {
        for (const [key] of applicable) adjust(key, -1)
        total -= 1
      }
    },
  }
}

function listApplicableLimits(
  tenant: Tenant | undefined,
  perWorkspace: number,
  perLink: number,
): (readonly [key: string, limit: number])[] {
  if (tenant === undefined) return []
  const { workspaceId, linkId } = tenant
  const workspace = [`workspace ${workspaceId}`, perWorkspace] as const
  return linkId === undefined ? [workspace] : [workspace, [`link ${linkId}`, perLink]]
}
