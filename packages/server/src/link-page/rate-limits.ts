import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../http/network-of.ts'
import { createGuesses, type Guesses, type GuessesDeps } from './guesses.ts'

/** Seconds to wait; 0: go on. */
export type RateLimit = (request: FastifyRequest) => Promise<number>

/** How often one may come, each for one minute. */
export interface RateLimits {
  readonly open: RateLimit
  readonly send: RateLimit
  readonly ask: RateLimit
  readonly guesses: Guesses
}

/** What is let through in a minute. */
export const RATES = {
  /** Pages, per address and link. */
  open: 240,
  /** Forms, per address and link. */
  send: 30,
  /** Questions about attempts, per address and link. */
  ask: 600,
  /** Forms, per IPv6 /48 and link. There is no limit per link alone: a stranger could lock its customers out. */
  sendWide: 120,
  /** Pages of links that there are not, per address. */
  guess: 60,
} as const

/** Counts in the memory of this node. */
export async function createRateLimits(
  app: FastifyInstance,
  deps: GuessesDeps,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false })
  const limit = (max: number, keyOf: (request: FastifyRequest) => string): RateLimit => {
    const check = app.createRateLimit({ max, timeWindow: 60_000, keyGenerator: keyOf })
    return async (request) => {
      const answer = await check(request)
      return answer.isAllowed || !answer.isExceeded ? 0 : Math.max(1, answer.ttlInSeconds)
    }
  }
  const send = limit(RATES.send, addressAndLink)
  const sendWide = limit(
    RATES.sendWide,
    (request) => `${networkOf(request.ip, 48)} ${linkOf(request)}`,
  )
  return {
    open: limit(RATES.open, addressAndLink),
    ask: limit(RATES.ask, addressAndLink),
    guesses: createGuesses(deps, limit(RATES.guess, addressOf), addressOf),
    send: async (request) => (await send(request)) || sendWide(request),
  }
}

function addressAndLink(request: FastifyRequest): string {
  return `${addressOf(request)} ${linkOf(request)}`
}

/** Who has an IPv6 network has all of its addresses. */
function addressOf({ ip }: FastifyRequest): string {
  return networkOf(ip, 64)
}

function linkOf({ params }: FastifyRequest): string {
  return ((params as { linkId?: string }).linkId ?? '').slice(0, 40)
}
