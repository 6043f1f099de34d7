import type { FastifyRequest } from 'fastify'
import { hashSecret, isAccessToken } from '../../access/auth/access-token.ts'
import type { Caller } from '../../access/auth/caller.ts'
import type { ApiError } from '../../platform/errors.ts'
import { toNetworkAddress } from '../../platform/http/client-address.ts'
import { startFlushing } from '../../platform/rounds.ts'
import type { Id } from '../../platform/storage/id.ts'

/** The token of a refused request that was authenticated. */
export interface RefusedCaller {
  readonly tokenId: Id<'tok'>
  readonly userId: Id<'usr'>
  /** The member who acts in the console. */
  readonly personId?: Id<'usr'> | undefined
  readonly boundWorkspaceId: Id<'wsp'> | null
}

/** Refused requests of one token, or from one address, with one error code, within one minute. */
export interface RefusalCount {
  /** Since 1970. */
  readonly minute: number
  readonly code: string
  /** Absent: the request was not authenticated. */
  readonly caller?: RefusedCaller | undefined
  /** SHA-256 in base64url of a well-formed token that is not valid: it may have been. */
  readonly tokenHash?: string | undefined
  /** As LINCHPIN_AUDIT_IP allows: of the first request. */
  readonly ip: string | null
  count: number
}

export interface RefusalsOptions {
  readonly now: () => number
  /** Stores counts. When it rejects, they are part of the next flush. */
  readonly write: (counts: readonly RefusalCount[]) => Promise<void>
  readonly flushIntervalMs?: number
}

/** Counts refused requests in memory, so that a flood of them costs neither writes nor memory. */
interface Refusals {
  /** Returns immediately and never throws. */
  add(refusal: Omit<RefusalCount, 'minute' | 'count'>): void
  /** Stops the timer and writes all counts. Never rejects. */
  stop(): Promise<void>
}

/** At most 10,000 counts of tokens and 5,000 of unauthenticated requests are pending; the rest is counted without address. */
export function createRefusals(options: RefusalsOptions): Refusals {
  const { now, write, flushIntervalMs = 1_000 } = options
  const authenticated = new Map<string, RefusalCount>()
  const unauthenticated = new Map<string, RefusalCount>()

  const put = (refusal: RefusalCount) => {
    const { minute, code, caller, tokenHash, ip, count } = refusal
    const [counts, limit] =
      caller === undefined
        ? ([unauthenticated, MAX_UNAUTHENTICATED] as const)
        : ([authenticated, MAX_AUTHENTICATED] as const)
    const key = `${minute} ${code} ${caller?.tokenId ?? tokenHash ?? ip}`
    const existing = counts.get(key)
    if (existing !== undefined) existing.count += count
    else if (counts.size < limit) counts.set(key, { ...refusal })
    else {
      const rest = unauthenticated.get(`${minute} ${code} null`)
      if (rest !== undefined) rest.count += count
      else if (unauthenticated.size < limit + MAX_REST)
        unauthenticated.set(`${minute} ${code} null`, { minute, code, ip: null, count })
    }
  }
  const take = (isDue: (count: RefusalCount) => boolean) => {
    const taken: RefusalCount[] = []
    for (const counts of [authenticated, unauthenticated])
      for (const [key, count] of counts)
        if (isDue(count)) {
          counts.delete(key)
          taken.push(count)
        }
    return taken
  }
  const { stop } = startFlushing(async (isLast) => {
    const current = Math.floor(now() / MINUTE_MS)
    const counts = take(({ minute }) => isLast || minute < current)
    if (counts.length > 0)
      await write(counts).catch(() => {
        for (const count of counts) put(count)
      })
  }, flushIntervalMs)
  return {
    add({ code, caller, tokenHash, ip }) {
      const minute = Math.floor(now() / MINUTE_MS)
      // One client has many addresses of one IPv6 network.
      const network = caller === undefined && ip !== null ? toNetworkAddress(ip, 64) : ip
      put({ minute, code, caller, tokenHash, ip: network, count: 1 })
    },
    stop,
  }
}

export const MINUTE_MS = 60_000
const MAX_AUTHENTICATED = 10_000
const MAX_UNAUTHENTICATED = 5_000
/** One per error code. */
const MAX_REST = 100

/**
 * Creates an observer of failed requests that counts the refused ones: 403, and 401 with a token that is not valid. A
 * request without a token is nothing to record.
 */
export function createRefusalObserver(
  refusals: Pick<Refusals, 'add'>,
): (request: FastifyRequest, error: ApiError) => void {
  return (request, { statusCode, code }) => {
    const isUnauthenticated = statusCode === 401 && code === 'token_invalid'
    if (statusCode !== 403 && !isUnauthenticated) return
    const { caller } = request as { caller?: Caller }
    if (statusCode === 403 && caller === undefined) return
    const tokenHash = caller === undefined ? hashToken(request) : undefined
    refusals.add({ code, caller, tokenHash, ip: request.auditIp })
  }
}

/** The hash of a token that has the form of one: it may have been valid. */
function hashToken({ headers }: FastifyRequest): string | undefined {
  const token = headers.authorization?.slice(SCHEME_LENGTH).trim() ?? ''
  return isAccessToken(token) ? Buffer.from(hashSecret(token)).toString('base64url') : undefined
}

const SCHEME_LENGTH = 'Bearer '.length
