import type { FastifyRequest } from 'fastify'
import { isId } from '../storage/id.ts'
import type { SharedLinkStore } from './open/shared-link-store.ts'
import type { RateLimit } from './rate-limits.ts'

/** Slows down who asks for links that there are not. Links that there are stay open to everybody: offices share addresses. */
export interface Guesses {
  /** Seconds that this guess has to wait; 0: go on. */
  wait(request: FastifyRequest, linkId: string): Promise<number>
  /** Counts one. */
  missed(request: FastifyRequest): Promise<void>
}

export interface GuessesDeps {
  readonly sharedLinks: Pick<SharedLinkStore, 'find'>
  /** In milliseconds. */
  readonly now: () => number
}

/** Counts in the memory of this node. `limit` says how many guesses are let through, `addressOf` whose they are. */
export function createGuesses(
  { sharedLinks, now }: GuessesDeps,
  limit: RateLimit,
  addressOf: (request: FastifyRequest) => string,
): Guesses {
  const until = new Map<string, number>()
  return {
    async wait(request, linkId) {
      const left = (until.get(addressOf(request)) ?? 0) - now()
      if (left <= 0) return 0
      const isKnown = isId('lnk', linkId) && (await sharedLinks.find(linkId)) !== undefined
      return isKnown ? 0 : Math.ceil(left / 1_000)
    },
    async missed(request) {
      const seconds = await limit(request)
      if (seconds === 0) return
      for (const [address, end] of until) if (end <= now()) until.delete(address)
      until.set(addressOf(request), now() + seconds * 1_000)
    },
  }
}
