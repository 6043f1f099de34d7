import type { Tenant } from '../../tenant.ts'

/** Counts the look-ups in flight. */
export interface LookupLimiter {
  /** Takes a slot. @returns what frees it; undefined when the tenant, or all together, have too many look-ups in flight */
  acquire(tenant: Tenant | undefined): (() => void) | undefined
}

/** Bounds of look-ups in flight. */
export interface LookupLimits {
  readonly perLink: number
  readonly perWorkspace: number
  /** Beyond this many in all, a workspace gets no more than `few`. */
  readonly softTotal: number
  readonly reducedPerWorkspace: number
  /** In all, our own requests included. */
  readonly total: number
}

export const DEFAULT_LOOKUP_LIMITS: LookupLimits = {
  perLink: 16,
  perWorkspace: 64,
  softTotal: 512,
  reducedPerWorkspace: 4,
  total: 2_048,
}

/** Slots per link and per workspace, and in all. A request of our own has no tenant and only the last bound. */
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
        total >= limits.softTotal ? limits.reducedPerWorkspace : limits.perWorkspace
      const applicable = applicableLimits(tenant, workspaceLimit, limits.perLink)
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

function applicableLimits(
  tenant: Tenant | undefined,
  perWorkspace: number,
  perLink: number,
): (readonly [key: string, limit: number])[] {
  if (tenant === undefined) return []
  const { workspaceId, linkId } = tenant
  const workspace = [`workspace ${workspaceId}`, perWorkspace] as const
  return linkId === undefined ? [workspace] : [workspace, [`link ${linkId}`, perLink]]
}
