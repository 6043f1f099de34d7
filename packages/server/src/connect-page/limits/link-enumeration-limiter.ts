import type { FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import type { SharedLinkStore } from '../stores/shared-link-store.ts'

/** Counts a request. Returns the seconds to wait, 0 when it is within the limit. */
export type RateLimit = (request: FastifyRequest) => Promise<number>

/** Throttles clients that probe for nonexistent links. Existing links are not throttled, because offices share an IP address. */
export interface LinkEnumerationLimiter {
  /** Returns the seconds to wait before this link may be requested, 0 for an existing link. */
  secondsToWait(request: FastifyRequest, linkId: string): Promise<number>
  /** Counts a request for a nonexistent link. */
  recordMiss(request: FastifyRequest): Promise<void>
}

export interface LinkEnumerationLimiterDeps {
  readonly sharedLinks: Pick<SharedLinkStore, 'find'>
  /** In milliseconds. */
  readonly now: () => number
}

/** Counts in the memory of this node. `limit` is the number of misses allowed per client key. */
export function createLinkEnumerationLimiter(
  { sharedLinks, now }: LinkEnumerationLimiterDeps,
  limit: RateLimit,
  getClientKey: (request: FastifyRequest) => string,
): LinkEnumerationLimiter {
  const blockedUntil = new Map<string, number>()
  return {
    async secondsToWait(request, linkId) {
      const remainingMs = (blockedUntil.get(getClientKey(request)) ?? 0) - now()
      if (remainingMs <= 0) return 0
      const isKnown = isId('lnk', linkId) && (await sharedLinks.find(linkId)) !== undefined
      return isKnown ? 0 : Math.ceil(remainingMs / 1_000)
    },
    async recordMiss(request) {
      const seconds = await limit(request)
      if (seconds === 0) return
      for (const [clientKey, endsAt] of blockedUntil)
        if (endsAt <= now()) blockedUntil.delete(clientKey)
      blockedUntil.set(getClientKey(request), now() + seconds * 1_000)
    },
  }
}
