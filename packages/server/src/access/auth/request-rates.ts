import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Rates } from '../../platform/config/rates.ts'
import { ApiError } from '../../platform/errors.ts'
import { toNetworkAddress } from '../../platform/http/client-address.ts'
import type { Log } from '../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database, MaybePromise } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { StoredToken, TokenLimits } from './access-token-store.ts'
import type { RateLimiter, RateUsage, RateWindow } from './rate-limiter.ts'
import { createRateUsageStore } from './rate-usage-store.ts'

/** The limits of a token, and the keys that its requests are counted by. */
export interface TokenRates {
  readonly read: MethodLimits
  readonly write: MethodLimits
  readonly bundleKey: string
  readonly workspaceKey: string
  readonly proxyKey: string
}

interface MethodLimits {
  readonly own: KeyLimit
  /** The windows of tokens that it descends from, in which its requests count, too. */
  readonly ancestors: readonly KeyLimit[]
}

/** A window that a request is counted in. */
interface KeyLimit {
  readonly key: string
  readonly limit: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What else limits the route: it runs a bundle, or it sends a request as an account. */
    readonly rate?: 'bundle' | 'proxy'
  }
}

/** Limits how many requests are accepted per minute. */
export interface RequestRates {
  /**
   * The limits of a token that descends from others, its creator first; undefined for the owner's tokens, which have none.
   */
  ofToken(token: StoredToken, ancestors: readonly TokenLimits[]): TokenRates | undefined
  /** Counts a request, and returns the headers of its response. @throws ApiError `rate_limited` */
  admit(rates: TokenRates, method: string | undefined): AdmittedRequest
  /** Counts a request in what else limits its route. @throws ApiError `rate_limited` */
  admitToRoute(rates: TokenRates, request: FastifyRequest): void
  /** Counts a request that is sent to a provider as an account. @throws ApiError `rate_limited` */
  admitToAccount(rates: TokenRates, accountId: string): void
  /** Counts a request that failed to authenticate. @throws ApiError `rate_limited` */
  countFailure(ip: string): void
}

export interface AdmittedRequest {
  readonly headers: Readonly<Record<string, string>>
  /** Uncounts the request: it is counted again elsewhere. */
  giveBack(): void
}

export function createRequestRates(limiter: RateLimiter, rates: Rates): RequestRates {
  /** Counts a request in the windows of its token, of the tokens that it descends from and of its workspace, or in none. */
  const count = ({ own, ancestors }: MethodLimits, workspaceKey: string) => {
    const windows = [limiter.take(own.key, own.limit)]
    try {
      for (const { key, limit } of ancestors) windows.push(limiter.take(key, limit))
      if (rates.workspace !== Infinity) windows.push(limiter.take(workspaceKey, rates.workspace))
    } catch (error) {
      windows.forEach(limiter.giveBack)
      throw error
    }
    return windows
  }
  const takeIfLimited = (key: string, limit: number) =>
    limit === Infinity ? undefined : limiter.take(key, limit)
  /** Describes the window of a token or, if fewer requests remain there, of one of its ancestors. */
  const toHeaders = (windows: readonly RateWindow[], ancestorCount: number) => {
    if (windows[0]?.limit === Infinity) return NO_HEADERS
    let fewest = { limit: 0, remaining: Infinity, seconds: 0 }
    for (let index = 0; index <= ancestorCount; index += 1) {
      const window = windows[index] as RateWindow
      const { remaining, seconds } = limiter.describe(window)
      if (remaining < fewest.remaining) fewest = { limit: window.limit, remaining, seconds }
    }
    return {
      'ratelimit-policy': `"token";q=${fewest.limit};w=60`,
      ratelimit: `"token";r=${fewest.remaining};t=${fewest.seconds}`,
    }
  }
  const admitToAccount = ({ proxyKey }: TokenRates, accountId: string) => {
    if (isId('acc', accountId)) takeIfLimited(proxyKey + accountId, rates.proxy)
  }
  return {
    ofToken: (token, ancestors) => createTokenRates(token, ancestors, rates),
    admit({ read, write, workspaceKey }, method) {
      const limits = method === 'GET' || method === 'HEAD' ? read : write
      const windows = count(limits, workspaceKey)
      return {
        headers: toHeaders(windows, limits.ancestors.length),
        giveBack: () => windows.forEach(limiter.giveBack),
      }
    },
    admitToRoute(tokenRates, request) {
      const { rate } = request.routeOptions.config
      if (rate === 'bundle') takeIfLimited(tokenRates.bundleKey, rates.bundles)
      const { integrationAccountId: id } = request.params as { integrationAccountId?: string }
      if (rate === 'proxy' && id !== undefined) admitToAccount(tokenRates, id)
    },
    admitToAccount,
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
  token: StoredToken,
  ancestors: readonly TokenLimits[],
  { reads, writes, workspace, bundles, proxy }: Rates,
): TokenRates | undefined {
  const { token_id: id, origin, user_id, workspace_id, reads_per_minute, writes_per_minute } = token
  const isUnlimited = [reads, writes, workspace, bundles, proxy].every(
    (limit) => limit === Infinity,
  )
  const hasOwn = reads_per_minute !== null || writes_per_minute !== null
  if (origin === 'owner' || origin === 'environment' || (isUnlimited && !hasOwn)) return undefined
  const tenant = workspace_id ?? user_id
  const readsOf = (limits: TokenLimits) => limits.reads_per_minute
  const writesOf = (limits: TokenLimits) => limits.writes_per_minute
  return {
    read: {
      own: { key: `r:${id}`, limit: Math.min(reads, reads_per_minute ?? Infinity) },
      ancestors: listAncestorLimits(ancestors, 'r:', reads, readsOf),
    },
    write: {
      own: { key: `w:${id}`, limit: Math.min(writes, writes_per_minute ?? Infinity) },
      ancestors: listAncestorLimits(ancestors, 'w:', writes, writesOf),
    },
    bundleKey: `b:${id}`,
    // The tenant is part of the key: no one uses up the limit of another tenant's account.
    workspaceKey: `t:${tenant}`,
    proxyKey: `p:${tenant}:`,
  }
}

/**
 * The windows of the ancestors that have limits of their own, lower than that of the service. One below an ancestor with the
 * same limit can never be full before it.
 */
function listAncestorLimits(
  ancestors: readonly TokenLimits[],
  prefix: string,
  serviceLimit: number,
  getLimit: (limits: TokenLimits) => number | null,
): KeyLimit[] {
  const own: KeyLimit[] = []
  let lowest = serviceLimit
  for (const ancestor of ancestors.toReversed()) {
    const limit = getLimit(ancestor) ?? Infinity
    if (limit >= lowest) continue
    own.push({ key: prefix + ancestor.token_id, limit })
    lowest = limit
  }
  return own
}

export interface ShareRatesDeps {
  readonly limiter: Pick<RateLimiter, 'listUsage' | 'reportOthers'>
  readonly database: Database
  readonly log: Log
}

/** Shares once a second what this node has counted of keys in much use with the other nodes, which only PostgreSQL has. */
export function startSharingRates(deps: ShareRatesDeps): Rounds {
  if (deps.database.dialect === 'sqlite') return { stop: async () => {} }
  const share = createShareRates(deps)
  return startRounds({
    round: () => share().then(() => false),
    onError: (error) => deps.log.warn({ err: error }, 'the use of rates could not be shared'),
    pollMs: SHARE_MS,
  })
}

const SHARE_MS = 1_000

/** Creates the work of one second. */
export function createShareRates({
  limiter,
  database,
}: Omit<ShareRatesDeps, 'log'>): () => Promise<void> {
  const usages = createRateUsageStore(database)
  const nodeId = randomUUID()
  let sweptMinute = 0
  return async () => {
    const own = limiter.listUsage()
    const [first] = own
    if (first === undefined) return
    const others = await usages.exchange(nodeId, own)
    limiter.reportOthers(withZeros(own, others))
    if (first.minute === sweptMinute) return
    sweptMinute = first.minute
    await usages.sweep(first.minute)
  }
}

/** Keys that no other node uses any more have no row. */
function withZeros(own: readonly RateUsage[], others: readonly RateUsage[]): RateUsage[] {
  const reported = new Set(others.map(({ key, minute }) => `${key} ${minute}`))
  const missing = own.filter(({ key, minute }) => !reported.has(`${key} ${minute}`))
  return [...others, ...missing.map((usage) => ({ ...usage, count: 0 }))]
}
