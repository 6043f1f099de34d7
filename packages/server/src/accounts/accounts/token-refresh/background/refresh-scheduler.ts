import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { runJob } from '../../../../platform/http/log.ts'
import { type ObserveJob, type Rounds, startRounds } from '../../../../platform/rounds.ts'
import { type AcquiredLease, createAcquiredLease, LEASE_CLEARED } from '../acquire-lease.ts'
import { refreshWithLease } from '../get-valid-credentials.ts'
import { findTokenHost, loadGrant } from '../grant.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import { getClientErrorBackoff } from '../refresh-schedule.ts'
import type { HostScope } from '../refresh-store.ts'
import type { TokenRequestOutcome } from '../request-token.ts'
import { type ClaimStore, createClaimStore, type ReleasedClaim } from './claim-store.ts'
import { type HostAnswer, HostLanes, type SkippedHosts } from './host-lanes.ts'

/** Refreshes accounts that are due. Claims only what can start now, or soon: other nodes take the rest. */
export interface RefreshScheduler {
  /**
   * Claims and refreshes accounts until none is due that may be claimed, for 20 minutes at most: the end of a round is what tells
   * that it works. Its last refreshes may still run.
   */
  runRound(signal?: AbortSignal): Promise<void>
  /** Releases the leases of accounts whose refresh has not started; resolves when the others have ended. */
  finish(): Promise<void>
}

/** A leased account on its way to a host. */
interface Claim {
  readonly lease: AcquiredLease
  readonly host: string
}

/** Maximum number of token requests at a time; default of LINCHPIN_REFRESH_CONCURRENCY. */
const DEFAULT_REFRESH_CONCURRENCY = 64

export function createRefreshScheduler(
  deps: RefreshDeps,
  concurrency = DEFAULT_REFRESH_CONCURRENCY,
  monotonicNow: () => number = () => performance.now(),
): RefreshScheduler {
  // A quarter, so that three hosts that do not respond leave places for others.
  const places = Math.max(1, Math.floor(concurrency / 4))
  return new Scheduler(deps, concurrency, places, monotonicNow)
}

class Scheduler implements RefreshScheduler {
  readonly #deps: RefreshDeps
  readonly #store: ClaimStore
  readonly #concurrency: number
  readonly #batchSize: number
  readonly #lanes: HostLanes
  readonly #waiting = new Map<string, Claim[]>()
  readonly #running = new Set<Promise<void>>()
  #ended = Promise.withResolvers<void>()
  readonly #now: () => number
  #start = { from: 0, paused: new Set<string>(), resetAt: 0, nextAt: 0 }

  constructor(
    deps: RefreshDeps,
    concurrency: number,
    placesPerHost: number,
    monotonicNow: () => number,
  ) {
    this.#now = monotonicNow
    this.#deps = deps
    this.#store = createClaimStore(deps.database, deps.now)
    this.#concurrency = concurrency
    // No more than a host may have: what cannot start at once waits for one request at most.
    this.#batchSize = placesPerHost
    this.#lanes = new HostLanes(placesPerHost)
    deps.refreshCounts.observePassedOver(() => ({
      hosts: this.#lanes.listOpen(this.#now()),
      until: this.#start.paused.size > 0 ? this.#start.from : 0,
    }))
  }

  async runRound(signal?: AbortSignal): Promise<void> {
    const endAt = this.#now() + MAX_ROUND_MS
    while (!signal?.aborted && this.#now() < endAt) {
      const ended = this.#ended.promise
      if (this.#concurrency - this.#running.size < this.#batchSize) {
        await ended
        continue
      }
      const skipped = this.#lanes.listSkipped(this.#now())
      const claims = await this.#claim(await this.#findStart(skipped.paused), skipped)
      if (signal?.aborted) await this.#release(claims)
      else await this.#dispatch(claims)
      // Hosts that cannot be passed over would be claimed again and again.
      if (skipped.isTruncated && this.#running.size === 0) return
      if (claims.length === this.#batchSize) continue
      if (!skipped.isWaiting && this.#waiting.size === 0) return
      await Promise.race([ended, sleep(FULL_HOST_WAIT_MS, undefined, { ref: false })])
    }
  }

  async finish(): Promise<void> {
    const waiting = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    await this.#release(waiting)
    await Promise.all(this.#running)
  }

  /**
   * Where claims start, so that they do not read past the accounts of paused hosts, which may be many, each time. Starts over when
   * a pause has ended, and every minute, because leases before it may have expired.
   */
  async #findStart(paused: readonly HostScope[]): Promise<number> {
    const now = this.#now()
    const names = new Set(paused.map(({ host, workspaceId }) => `${workspaceId} ${host}`))
    const hasEnded = [...this.#start.paused].some((name) => !names.has(name))
    if (paused.length === 0 || hasEnded || now >= this.#start.resetAt)
      this.#start = { from: 0, paused: names, resetAt: now + START_RESET_MS, nextAt: now }
    if (paused.length === 0) return 0
    if (now >= this.#start.nextAt || this.#start.paused.size < names.size) {
      const from = await this.#store.findStart(this.#start.from, paused)
      this.#start = { ...this.#start, from, paused: names, nextAt: now + START_INTERVAL_MS }
    }
    return this.#start.from
  }

  async #claim(from: number, { paused, full }: SkippedHosts): Promise<Claim[]> {
    const { leaseMs } = this.#deps.refreshTimeouts ?? REFRESH_TIMEOUTS
    const startedAt = performance.now()
    // One per claim, not per process: a late write under an old lease must not pass as one under a new lease.
    const owner = randomUUID()
    const snapshots = await this.#store.claim(owner, leaseMs, this.#batchSize, from, [
      ...paused,
      ...full,
    ])
    return Promise.all(
      snapshots.map(async (snapshot) => {
        const { accountId, credentialVersion: version } = snapshot.row
        const lease = { accountId, owner, version }
        return {
          lease: createAcquiredLease(this.#deps, lease, snapshot, startedAt),
          host: snapshot.row.tokenHost ?? (await this.#loadHost(snapshot.row)),
        }
      }),
    )
  }

  /** The host of an account that was never refreshed. Empty if unknown: its refresh reports why. */
  async #loadHost(row: AcquiredLease['row']): Promise<string> {
    const grant = await loadGrant(this.#deps, row).catch(() => undefined)
    return (grant && findTokenHost(grant)) ?? ''
  }

  async #dispatch(claims: readonly Claim[]): Promise<void> {
    const paused: Claim[] = []
    for (const claim of claims) {
      const { host, lease } = claim
      const admission = this.#lanes.get(host).admit(lease.row.workspaceId, this.#now())
      if (admission === 'send') this.#run(claim)
      else if (admission === 'wait')
        this.#waiting.set(host, [...(this.#waiting.get(host) ?? []), claim])
      else paused.push(claim)
    }
    await this.#release(paused)
  }

  #run(claim: Claim): void {
    const { host, lease } = claim
    this.#lanes.get(host).start(lease.row.workspaceId)
    const running = this.#refresh(claim).then(async (result) => {
      const now = this.#now()
      this.#lanes.get(host).end(lease.row.workspaceId, result && toHostAnswer(result), now)
      this.#running.delete(running)
      this.#lanes.prune(now)
      const waiting = this.#waiting.get(host) ?? []
      this.#waiting.delete(host)
      await this.#dispatch(waiting)
      this.#ended.resolve()
      this.#ended = Promise.withResolvers()
    })
    this.#running.add(running)
  }

  async #refresh({ lease }: Claim) {
    try {
      return await refreshWithLease(this.#deps, lease, { kind: 'scheduled' })
    } catch (error) {
      const { accountId } = lease
      this.#deps.log.warn({ err: error, accountId }, 'a token refresh failed')
      // It would be claimed again at once. `refreshSentAt` stays, because a request may have been sent.
      const refreshAt = lease.now() + getClientErrorBackoff()
      await lease.update({ refreshAt, ...LEASE_CLEARED }).catch(() => false)
      return undefined
    }
  }

  /** Stores their hosts too, so that they are passed over. */
  async #release(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return
    const released = claims.map(({ lease, host }): ReleasedClaim => {
      const { accountId, owner } = lease
      const { workspaceId } = lease.row
      return { accountId, workspaceId, owner, host: host === '' ? null : host }
    })
    await this.#store.release(released).catch((error) => {
      // Their leases expire.
      this.#deps.log.warn({ err: error }, 'leases of token refreshes could not be released')
    })
  }
}

const FULL_HOST_WAIT_MS = 1_000
const MAX_ROUND_MS = 20 * 60_000
const START_INTERVAL_MS = 1_000
const START_RESET_MS = 60_000

/** What the result of a token request says about the host. Undefined if nothing: no request was sent, or none can leave. */
function toHostAnswer(result: TokenRequestOutcome['result']): HostAnswer | undefined {
  if (result.kind === 'tokens' || result.kind === 'refused') return { hasAnswered: true }
  // A decision about one grant: the host responds.
  if (result.kind === 'unavailable' && GRANT_REASONS.has(result.reason))
    return { hasAnswered: true }
  if (result.kind === 'not_sent' || result.reason === 'egress_unavailable') return undefined
  return { hasAnswered: false, retryAfterMs: result.retryAfterMs }
}

const GRANT_REASONS: ReadonlySet<string> = new Set(['conflict', 'ambiguous_refusal'])

export interface RefreshRoundsOptions {
  /** Milliseconds between rounds, ±25 %. */
  readonly intervalMs?: number
  /** Measures the rounds. */
  readonly observeJob?: ObserveJob
  /** LINCHPIN_REFRESH_CONCURRENCY. */
  readonly concurrency?: number
}

/** Refreshes tokens before they expire. Nodes share the work: each account is claimed by one. */
export function startRefreshRounds(deps: RefreshDeps, options: RefreshRoundsOptions = {}): Rounds {
  const { intervalMs = 20_000, concurrency, observeJob = (_name, run) => run } = options
  const scheduler = createRefreshScheduler(deps, concurrency)
  const refresh = observeJob('token_refresh', (signal: AbortSignal) => scheduler.runRound(signal))
  const rounds = startRounds({
    round: (signal) => runJob('refresh', () => refresh(signal).then(() => false)),
    onError: (error) => deps.log.warn({ err: error }, 'background work failed'),
    pollMs: intervalMs,
    isJittered: true,
  })
  return {
    async stop() {
      const stopped = rounds.stop()
      await scheduler.finish()
      await stopped
      await scheduler.finish()
    },
  }
}
