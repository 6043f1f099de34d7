import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Rates } from '../config/parse-rates.ts'
import { ApiError } from '../errors.ts'
import { toNetworkAddress } from '../http/to-network-address.ts'
import { isId } from '../storage/id.ts'
import type { MaybePromise } from '../storage/prepared-query.ts'
import type { StoredToken } from './access-token-store.ts'
import type { RateLimiter, RateWindow } from './rate-limiter.ts'

/** The limits of a token, and the keys that its requests are counted by. */
export interface TokenRates {
  readonly readKey: string
  readonly writeKey: string
  readonly bundleKey: string
  readonly workspaceKey: string
  readonly proxyKey: string
  readonly reads: number
  readonly writes: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What else limits the route: it runs a bundle, or it sends a request as an account. */
    readonly rate?: 'bundle' | 'proxy'
  }
}

/** Limits how many requests are accepted per minute. */
export interface RequestRates {
  /** The limits of a token; undefined for the owner's tokens, which have none. */
  ofToken(token: StoredToken): TokenRates | undefined
  /** Counts a read, and returns the headers of its response. @throws ApiError `rate_limited` */
  admitRead(rates: TokenRates): AdmittedRead
  /** Counts a request. @throws ApiError `rate_limited` */
  admit(request: FastifyRequest, reply: FastifyReply, rates: TokenRates): void
  /** Counts a request that failed to authenticate. @throws ApiError `rate_limited` */
  countFailure(ip: string): void
}

export interface AdmittedRead {
  readonly headers: Readonly<Record<string, string>>
  /** The request is counted again by the normal path. */
  giveBack(): void
}

export function createRequestRates(limiter: RateLimiter, rates: Rates): RequestRates {
  const countToken = (key: string, limit: number, workspaceKey: string) => {
    const window = limiter.take(key, limit)
    try {
      return { window, workspace: takeIfLimited(workspaceKey, rates.workspace) }
    } catch (error) {
      limiter.giveBack(window)
      throw error
    }
  }
  const takeIfLimited = (key: string, limit: number) =>
    limit === Infinity ? undefined : limiter.take(key, limit)
  const toHeaders = (window: RateWindow) => {
    if (window.limit === Infinity) return NO_HEADERS
    const { remaining, seconds } = limiter.describe(window)
    return {
      'ratelimit-policy': `"token";q=${window.limit};w=60`,
      ratelimit: `"token";r=${remaining};t=${seconds}`,
    }
  }
  return {
    ofToken: (token) => createTokenRates(token, rates),
    admitRead({ readKey, reads, workspaceKey }) {
      const { window, workspace } = countToken(readKey, reads, workspaceKey)
      return {
        headers: toHeaders(window),
        giveBack() {
          limiter.giveBack(window)
          if (workspace !== undefined) limiter.giveBack(workspace)
        },
      }
    },
    admit(request, reply, { readKey, writeKey, bundleKey, proxyKey, workspaceKey, ...limits }) {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      const { window } = isRead
        ? countToken(readKey, limits.reads, workspaceKey)
        : countToken(writeKey, limits.writes, workspaceKey)
      reply.headers(toHeaders(window))
      const { rate } = request.routeOptions.config
      if (rate === 'bundle') takeIfLimited(bundleKey, rates.bundles)
      const { integrationAccountId: id } = request.params as { integrationAccountId?: string }
      if (rate === 'proxy' && id !== undefined && isId('acc', id))
        takeIfLimited(proxyKey + id, rates.proxy)
    },
    countFailure(ip) {
      takeIfLimited(`f:${toNetworkAddress(ip, 64)}`, rates.failures)
    },
  }
}

/** Runs `authenticate`, and counts its failure. @throws ApiError `rate_limited` instead of its error */
export function countFailures<T>(
  rates: RequestRates,
  { ip }: Pick<FastifyRequest, 'ip'>,
  authenticate: () => MaybePromise<T>,
): MaybePromise<T> {
  const count = (error: unknown): never => {
    if (error instanceof ApiError && error.statusCode === 401) rates.countFailure(ip)
    throw error
  }
  try {
    const result = authenticate()
    return result instanceof Promise ? result.catch(count) : result
  } catch (error) {
    return count(error)
  }
}

const NO_HEADERS = {}

function createTokenRates(
  { token_id: id, origin, user_id, workspace_id, reads_per_minute, writes_per_minute }: StoredToken,
  { reads, writes, workspace, bundles, proxy }: Rates,
): TokenRates | undefined {
  const isUnlimited = [reads, writes, workspace, bundles, proxy].every(
    (limit) => limit === Infinity,
  )
  const hasOwn = reads_per_minute !== null || writes_per_minute !== null
  if (origin === 'owner' || origin === 'environment' || (isUnlimited && !hasOwn)) return undefined
  const tenant = workspace_id ?? user_id
  return {
    ...{ readKey: `r:${id}`, writeKey: `w:${id}`, bundleKey: `b:${id}` },
    // The tenant is part of the key: no one uses up the limit of another tenant's account.
    ...{ workspaceKey: `t:${tenant}`, proxyKey: `p:${tenant}:` },
    reads: Math.min(reads, reads_per_minute ?? Infinity),
    writes: Math.min(writes, writes_per_minute ?? Infinity),
  }
}
