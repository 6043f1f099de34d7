import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toNetworkAddress } from '../../../platform/http/to-network-address.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { SharedLinkStore } from '../../links/link-store.ts'

/** The rate limits of the connect page, per minute. */
export interface RateLimits {
  readonly pages: RateLimit
  readonly forms: RateLimit
  readonly statusPolls: RateLimit
  readonly linkEnumeration: LinkEnumerationLimiter
}

/** Requests allowed per minute. */
export const RATES = {
  /** Pages, per IP address and link. */
  pages: 240,
  /** Forms, per IP address and link. */
  forms: 30,
  /** Submission polls, per IP address and link. */
  statusPolls: 600,
  /** Forms, per IPv6 /48 and link. There is no limit per link alone, with which an attacker could lock its customers out. */
  formsPerNetwork: 120,
  /** Pages of nonexistent links, per IP address. */
  unknownLinks: 60,
} as const

/** Counts in the memory of this node. */
export async function createRateLimits(
  app: FastifyInstance,
  deps: LinkEnumerationLimiterDeps,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false })
  const limit = (max: number, getKey: (request: FastifyRequest) => string): RateLimit => {
    const check = app.createRateLimit({ max, timeWindow: 60_000, keyGenerator: getKey })
    return async (request) => {
      const result = await check(request)
      return result.isAllowed || !result.isExceeded ? 0 : Math.max(1, result.ttlInSeconds)
    }
  }
  const forms = limit(RATES.forms, getClientAndLinkKey)
  const formsPerNetwork = limit(
    RATES.formsPerNetwork,
    (request) => `${toNetworkAddress(request.ip, 48)} ${getLinkId(request)}`,
  )
  return {
    pages: limit(RATES.pages, getClientAndLinkKey),
    statusPolls: limit(RATES.statusPolls, getClientAndLinkKey),
    linkEnumeration: createLinkEnumerationLimiter(
      deps,
      limit(RATES.unknownLinks, getClientKey),
      getClientKey,
    ),
    forms: async (request) => (await forms(request)) || formsPerNetwork(request),
  }
}

function getClientAndLinkKey(request: FastifyRequest): string {
  return `${getClientKey(request)} ${getLinkId(request)}`
}

/** Rate-limits IPv6 by /64: one client controls all addresses in it. */
function getClientKey({ ip }: FastifyRequest): string {
  return toNetworkAddress(ip, 64)
}

function getLinkId({ params }: FastifyRequest): string {
  return ((params as { pageId?: string }).pageId ?? '').slice(0, 40)
}

/** Counts a request. Returns the seconds to wait, 0 when it is within the limit. */
export type RateLimit = (request: FastifyRequest) => Promise<number>

/** Throttles clients that probe for nonexistent links. Existing links are not throttled, because offices share an IP address. */
interface LinkEnumerationLimiter {
  /** Returns the seconds to wait before this link may be requested, 0 for an existing link. */
  secondsToWait(request: FastifyRequest, linkId: string): Promise<number>
  /** Counts a request for a nonexistent link. */
  recordMiss(request: FastifyRequest): Promise<void>
}

interface LinkEnumerationLimiterDeps {
  readonly sharedLinks: Pick<SharedLinkStore, 'find' | 'findByAlias'>
  /** In milliseconds. */
  readonly now: () => number
}

/** Counts in the memory of this node. `limit` is the number of misses allowed per client key. */
function createLinkEnumerationLimiter(
  { sharedLinks, now }: LinkEnumerationLimiterDeps,
  limit: RateLimit,
  getClientKey: (request: FastifyRequest) => string,
): LinkEnumerationLimiter {
  const blockedUntil = new Map<string, number>()
  return {
    async secondsToWait(request, linkId) {
      const remainingMs = (blockedUntil.get(getClientKey(request)) ?? 0) - now()
      if (remainingMs <= 0) return 0
      // The page of a connect session never tells whether the session exists.
      if (/^cn[st]_/.test(linkId)) return 0
      const found = await (isId('lnk', linkId)
        ? sharedLinks.find(linkId)
        : sharedLinks.findByAlias(linkId))
      const isKnown = found !== undefined
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
