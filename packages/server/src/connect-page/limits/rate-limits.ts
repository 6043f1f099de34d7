import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toNetworkAddress } from '../../http/to-network-address.ts'
import {
  createLinkEnumerationLimiter,
  type LinkEnumerationLimiter,
  type LinkEnumerationLimiterDeps,
  type RateLimit,
} from './link-enumeration-limiter.ts'

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
  const forms = limit(RATES.forms, clientAndLinkKey)
  const formsPerNetwork = limit(
    RATES.formsPerNetwork,
    (request) => `${toNetworkAddress(request.ip, 48)} ${getLinkId(request)}`,
  )
  return {
    pages: limit(RATES.pages, clientAndLinkKey),
    statusPolls: limit(RATES.statusPolls, clientAndLinkKey),
    linkEnumeration: createLinkEnumerationLimiter(
      deps,
      limit(RATES.unknownLinks, getClientKey),
      getClientKey,
    ),
    forms: async (request) => (await forms(request)) || formsPerNetwork(request),
  }
}

function clientAndLinkKey(request: FastifyRequest): string {
  return `${getClientKey(request)} ${getLinkId(request)}`
}

/** Rate-limits IPv6 by /64: one client controls all addresses in it. */
function getClientKey({ ip }: FastifyRequest): string {
  return toNetworkAddress(ip, 64)
}

function getLinkId({ params }: FastifyRequest): string {
  return ((params as { linkId?: string }).linkId ?? '').slice(0, 40)
}
