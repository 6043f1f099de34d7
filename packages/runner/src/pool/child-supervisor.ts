import type { RunnerOptions } from '../runner-types.ts'
import { isOneLeftFree, listAvailableChildren } from './available-children.ts'
import { BackOff, sleepUnless } from './back-off.ts'
import { BandwidthLimiter, MONOTONIC_CLOCK } from './bandwidth-limiter.ts'
import { Child } from './child.ts'
import type { ChildEvents, FleetEvents } from './child-events.ts'
import type { HostSlots } from './host-slots.ts'
import { IdleTimeout } from './idle-timeout.ts'
import { logJailSupport } from './jail-support.ts'
import type { RelayDeps } from './relay.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { spawnChild } from './spawn-child.ts'

export interface FleetDeps {
  /** Number of children that all workspaces share. */
  readonly size: number
  readonly options: RunnerOptions
  readonly files: SandboxFiles
  readonly hostSlots: HostSlots
}

/** Keeps runner children alive: some that all workspaces share, and, while it is needed, one for isolated calls. */
export class ChildSupervisor {
  readonly #size: number
  readonly #options: RunnerOptions
  readonly #files: SandboxFiles
  readonly #deps: RelayDeps
  readonly #events: FleetEvents
  readonly #children = new Set<Child>()
  readonly #backOff = new BackOff(Date.now)
  readonly #spawning = new Set<Promise<void>>()
  readonly #isolatedDemand = new IdleTimeout(ISOLATED_IDLE_MS, () => this.#stopIsolated())
  #spawningIsolated = 0
  #spawnRetry: NodeJS.Timeout | undefined
  restarts = 0
  replacements = 0
  #hasLoggedJailSupport = false
  #isClosed = false

  constructor({ size, options, files, hostSlots }: FleetDeps, events: FleetEvents) {
    this.#size = size
    this.#options = options
    this.#files = files
    const bandwidthLimiter = new BandwidthLimiter(MONOTONIC_CLOCK)
    this.#deps = { egressGateway: options.egressGateway, hostSlots, bandwidthLimiter }
    this.#events = events
    // Start one first: the others would only slow it down.
    this.#spawnTracked(0, false)
  }

  get size(): number {
    return this.#children.size
  }

  /** Whether any child of that kind is ready. */
  hasReadyChild(isIsolated: boolean): boolean {
    return [...this.#children].some((child) => child.isReady && child.isIsolated === isIsolated)
  }

  /** The children of that kind that accept calls: idle ones first, then by number of calls. */
  candidates(isIsolated: boolean): Child[] {
    if (isIsolated) {
      this.#isolatedDemand.refresh()
      this.#spawnMissing(0)
    }
    return listAvailableChildren(this.#children, isIsolated)
  }

  /** Whether a workspace that starts a call in this child leaves another shared child free of its calls. */
  leavesOneFree(child: Child, workspaceId: string): boolean {
    return isOneLeftFree(child, workspaceId, { children: this.#children, size: this.#size })
  }

  /** Moves the calls of a workspace out of the shared children. */
  evict(workspaceId: string): void {
    for (const child of this.#children) if (!child.isIsolated) child.evict(workspaceId)
  }

  /** Stops all children. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#isolatedDemand.clear()
    for (const child of this.#children) child.kill()
    await Promise.all(this.#spawning)
    await Promise.all([...this.#children].map((child) => child.exited))
  }

  // Rarely needed, and it uses memory.
  #stopIsolated(): void {
    const idle = [...this.#children].filter((child) => child.isIsolated)
    if (idle.some((child) => child.running > 0)) this.#isolatedDemand.refresh()
    else for (const child of idle) this.#drain(child)
  }

  #spawnMissing(delayMs: number): void {
    const active = [...this.#children].filter((child) => !child.isDraining)
    const isolated = active.filter((child) => child.isIsolated).length
    const shared = active.length - isolated
    const spawningShared = this.#spawning.size - this.#spawningIsolated
    for (let missing = this.#size - shared - spawningShared; missing > 0; missing--)
      this.#spawnTracked(delayMs, false)
    if (this.#isolatedDemand.isActive && isolated + this.#spawningIsolated === 0)
      this.#spawnTracked(delayMs, true)
  }

  #spawnTracked(delayMs: number, isIsolated: boolean): void {
    if (this.#isClosed) return
    if (isIsolated) this.#spawningIsolated++
    const spawned = this.#spawn(delayMs, isIsolated)
      .catch((error: unknown) => {
        this.#options.log?.('warn', 'a runner child could not be started', { error: String(error) })
        this.#retrySpawning()
      })
      .finally(() => {
        if (isIsolated) this.#spawningIsolated--
        this.#spawning.delete(spawned)
      })
    this.#spawning.add(spawned)
  }

  // One retry for all failures: each retry starts every missing child, so one for each failure would double them.
  #retrySpawning(): void {
    if (this.#isClosed || this.#spawnRetry !== undefined) return
    this.#spawnRetry = setTimeout(() => {
      this.#spawnRetry = undefined
      this.#spawnMissing(0)
    }, SPAWN_RETRY_MS).unref()
  }

  async #spawn(delayMs: number, isIsolated: boolean): Promise<void> {
    await sleepUnless(() => this.#isClosed, delayMs)
    if (this.#isClosed) return
    const { startTimeoutMs = DEFAULT_START_TIMEOUT_MS, niceness = NICENESS } = this.#options
    const nice = isIsolated ? niceness.isolated : niceness.shared
    const { process, hasBubblewrap, hasSeccomp } = await spawnChild(this.#files, nice)
    const options = { startTimeoutMs, isIsolated }
    const child: Child = new Child(
      process,
      this.#deps,
      this.#childEvents(() => child),
      options,
    )
    this.#children.add(child)
    if (!this.#hasLoggedJailSupport) logJailSupport(this.#options, { hasBubblewrap, hasSeccomp })
    this.#hasLoggedJailSupport = true
    this.#options.log?.('debug', 'started a runner child', { pid: child.pid })
    if (this.#isClosed) child.kill()
  }

  #childEvents(getChild: () => Child): ChildEvents {
    const events = this.#events
    return {
      ...events,
      onReady: () => {
        this.#spawnMissing(0)
        events.onReady()
      },
      onIdle: () => {
        this.#retire(getChild())
        events.onIdle()
      },
      onExit: (affectedCalls) => {
        this.#handleExit(getChild())
        events.onExit(affectedCalls)
      },
      onWarning: (message, detail) => this.#options.log?.('warn', message, detail),
    }
  }

  // Replaces a child that has completed many calls or uses much memory, once its calls have ended.
  #retire(child: Child): void {
    const { completedCalls, rss, pid } = child
    if (!child.isDraining && (completedCalls >= MAX_COMPLETED_CALLS || rss > MAX_RSS)) {
      this.#options.log?.('debug', 'replacing a runner child', { pid, served: completedCalls, rss })
      child.isDraining = true
      this.#spawnMissing(0)
    }
    if (child.isDraining) this.#drain(child)
  }

  #drain(child: Child): void {
    child.isDraining = true
    if (child.running > 0) return
    child.isRetired = true
    child.kill()
  }

  #handleExit(child: Child): void {
    this.#children.delete(child)
    if (this.#isClosed) return
    if (child.isRetired) this.replacements++
    else {
      this.restarts++
      this.#options.log?.('warn', 'a runner child was lost', { pid: child.pid })
    }
    this.#spawnMissing(child.isRetired ? 0 : this.#backOff.recordLoss())
  }
}

const SPAWN_RETRY_MS = 1_000
const DEFAULT_START_TIMEOUT_MS = 60_000
const MAX_COMPLETED_CALLS = 5_000
const MAX_RSS = 768 * 1024 * 1024
const ISOLATED_IDLE_MS = 60_000
/** The service itself has the highest priority, isolated calls the lowest. */
const NICENESS = { shared: 3, isolated: 19 }
