import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AcquiredLease, createAcquiredLease, LEASE_CLEARED } from '../acquire-lease.ts'
import { findTokenHost } from '../grant/find-token-host.ts'
import { loadGrant } from '../grant/load-grant.ts'
import { refreshWithLease } from '../refresh-account.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import { getClientErrorBackoff } from '../refresh-schedule.ts'
import {
  type ClaimStore,
  createClaimStore,
  DEFER_LIMIT,
  type ReleasedClaim,
} from './claim-store.ts'
import { HostLanes } from './host-lanes.ts'
import { toHostAnswer } from './to-host-answer.ts'

/** Refreshes accounts that are due. Claims only what can start now, or soon: other nodes take the rest. */
export interface RefreshScheduler {
  /** Claims and refreshes accounts until none is due that may be claimed. Its last refreshes may still run. */
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
export const DEFAULT_REFRESH_CONCURRENCY = 64

export function createRefreshScheduler(
  deps: RefreshDeps,
  concurrency = DEFAULT_REFRESH_CONCURRENCY,
): RefreshScheduler {
  // A quarter, so that three hosts that do not respond leave places for others.
  const places = Math.max(1, Math.floor(concurrency / 4))
  return new Scheduler(deps, concurrency, places)
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
  #deferral: Promise<void> | undefined
  #nextDeferralAt = 0

  constructor(deps: RefreshDeps, concurrency: number, placesPerHost: number) {
    this.#deps = deps
    this.#store = createClaimStore(deps.database, deps.now)
    this.#concurrency = concurrency
    // No more than a host may have: what cannot start at once waits for one request at most.
    this.#batchSize = placesPerHost
    this.#lanes = new HostLanes(placesPerHost)
  }

  async runRound(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const ended = this.#ended.promise
      if (this.#concurrency - this.#running.size < this.#batchSize) {
        await ended
        continue
      }
      this.#deferPaused()
      const skipped = this.#lanes.listSkipped(performance.now())
      const claims = await this.#claim(skipped.scopes)
      if (signal?.aborted) await this.#release(claims.map((claim) => ({ ...claim, deferMs: null })))
      else await this.#dispatch(claims)
      if (claims.length === this.#batchSize) continue
      if (!skipped.hasFull && this.#waiting.size === 0) return
      await Promise.race([ended, sleep(FULL_HOST_WAIT_MS, undefined, { ref: false })])
    }
  }

  async finish(): Promise<void> {
    const waiting = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    await this.#release(waiting.map((claim) => ({ ...claim, deferMs: null })))
    await Promise.all([...this.#running, this.#deferral])
  }

  async #claim(skipped: Parameters<ClaimStore['claim']>[3]): Promise<Claim[]> {
    const { leaseMs } = this.#deps.refreshTimeouts ?? REFRESH_TIMEOUTS
    const startedAt = performance.now()
    // One per claim, not per process: a late write under an old lease must not pass as one under a new lease.
    const owner = randomUUID()
    const snapshots = await this.#store.claim(owner, leaseMs, this.#batchSize, skipped)
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
    const paused: (Claim & { readonly deferMs: number })[] = []
    for (const claim of claims) {
      const { host, lease } = claim
      const admission = this.#lanes.get(host).admit(lease.row.workspaceId, performance.now())
      if (admission === 'send') this.#start(claim)
      else if (admission === 'wait')
        this.#waiting.set(host, [...(this.#waiting.get(host) ?? []), claim])
      else paused.push({ ...claim, deferMs: Math.ceil(admission.pausedMs) })
    }
    await this.#release(paused)
  }

  #start(claim: Claim): void {
    const { host, lease } = claim
    this.#lanes.get(host).start(lease.row.workspaceId)
    const running = this.#refresh(claim).then(async (result) => {
      const now = performance.now()
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

  /** Moves accounts of paused hosts that are due out of the way, beside the claims, which pass over them meanwhile. */
  #deferPaused(): void {
    const now = performance.now()
    if (this.#deferral !== undefined || now < this.#nextDeferralAt) return
    const paused = this.#lanes.listPaused(now).filter(({ pauseMs }) => pauseMs > 0)
    if (paused.length === 0) return
    this.#deferral = this.#store
      .defer(paused)
      .then(
        (moved) => {
          this.#nextDeferralAt = performance.now() + (moved === DEFER_LIMIT ? 0 : DEFER_INTERVAL_MS)
        },
        (error) => this.#deps.log.warn({ err: error }, 'token refreshes could not be deferred'),
      )
      .finally(() => {
        this.#deferral = undefined
      })
  }

  async #release(claims: readonly (Claim & { readonly deferMs: number | null })[]): Promise<void> {
    if (claims.length === 0) return
    const released = claims.map(({ lease, host, deferMs }): ReleasedClaim => {
      const { accountId, owner } = lease
      return { accountId, owner, host: host === '' ? null : host, deferMs }
    })
    await this.#store.release(released).catch((error) => {
      // Their leases expire.
      this.#deps.log.warn({ err: error }, 'leases of token refreshes could not be released')
    })
  }
}

const FULL_HOST_WAIT_MS = 1_000
const DEFER_INTERVAL_MS = 1_000
