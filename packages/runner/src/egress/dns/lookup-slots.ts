import type { Tenant } from '../../tenant.ts'

/** Counts the look-ups in flight. */
export interface LookupSlots {
  /** Takes a slot. @returns what frees it; undefined when the tenant, or all together, have too many look-ups in flight */
  take(tenant: Tenant | undefined): (() => void) | undefined
}

/** Bounds of look-ups in flight. */
export interface LookupBounds {
  readonly perLink: number
  readonly perWorkspace: number
  /** Beyond this many in all, a workspace gets no more than `few`. */
  readonly soft: number
  readonly few: number
  /** In all, our own requests included. */
  readonly total: number
}

export const LOOKUP_BOUNDS: LookupBounds = {
  perLink: 16,
  perWorkspace: 64,
  soft: 512,
  few: 4,
  total: 2_048,
}

/** Slots per link and per workspace, and in all. A request of our own has no tenant and only the last bound. */
export function createLookupSlots(bounds: LookupBounds = LOOKUP_BOUNDS): LookupSlots {
  const taken = new Map<string, number>()
  let total = 0
  const change = (key: string, by: number): void => {
    const count = (taken.get(key) ?? 0) + by
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }
  return {
    take(tenant) {
      if (total >= bounds.total) return undefined
      const most = total >= bounds.soft ? bounds.few : bounds.perWorkspace
      const limits = limitsOf(tenant, most, bounds.perLink)
      if (limits.some(([key, limit]) => (taken.get(key) ?? 0) >= limit)) return undefined
      for (const [key] of limits) change(key, 1)
      total += 1
      return () => {
        for (const [key] of limits) change(key, -1)
        total -= 1
      }
    },
  }
}

function limitsOf(
  tenant: Tenant | undefined,
  perWorkspace: number,
  perLink: number,
): (readonly [key: string, limit: number])[] {
  if (tenant === undefined) return []
  const { workspaceId, linkId } = tenant
  const workspace = [`workspace ${workspaceId}`, perWorkspace] as const
  return linkId === undefined ? [workspace] : [workspace, [`link ${linkId}`, perLink]]
}
