import type { RunnerOptions } from '../runner-types.ts'
import { BackOff, sleepUnless } from './back-off.ts'
import { BandwidthLimiter } from './bandwidth-limiter.ts'
import { Child } from './child.ts'
import type { ChildEvents } from './child-events.ts'
import type { HostSlots } from './host-slots.ts'
import { logJailSupport } from './log-jail-support.ts'
import type { RelayDeps } from './relay.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { spawnChild } from './spawn-child.ts'

/** Events of a fleet, for its pool. */
export interface FleetEvents extends Omit<ChildEvents, 'warn'> {}

export interface FleetDeps {
  /** Number of children that all workspaces share. */
  readonly size: number
  readonly options: RunnerOptions
  readonly files: SandboxFiles
  readonly hostSlots: HostSlots
}

/** Keeps runner children alive: some that all workspaces share, and, while it is needed, one for isolated calls. */
export class Fleet {
  readonly #size: number
  readonly #options: RunnerOptions
  readonly #files: SandboxFiles
  readonly #deps: RelayDeps
  readonly #events: ChildEvents
  readonly #children = new Set<Child>()
  readonly #backOff = new BackOff(Date.now)
  readonly #spawning = new Set<Promise<void>>()
  #needsIsolated = false
  #isolatedIdle: NodeJS.Timeout | undefined
  #spawningIsolated = 0
  restarts = 0
  replacements = 0
  #hasLoggedJailSupport = false
  #isClosed = false

  constructor({ size, options, files, hostSlots }: FleetDeps, events: FleetEvents) {
    this.#size = size
    this.#options = options
    this.#files = files
    this.#deps = {
      egressGateway: options.egressGateway,
      hostSlots,
      bandwidthLimiter: new BandwidthLimiter(CLOCK),
    }
    this.#events = {
      ...events,
      ready: () => {
        this.#spawnMissing(0)
        events.ready()
      },
      idle: (child) => {
        this.#retire(child)
        events.idle(child)
      },
      exited: (child, affectedCalls) => {
        this.#handleExit(child)
        events.exited(child, affectedCalls)
      },
      warn: (message, detail) => this.#options.log?.('warn', message, detail),
    }
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
    if (isIsolated) this.#requestIsolated()
    return [...this.#children]
      .filter((child) => child.isIsolated === isIsolated && child.isReady && !child.isDraining)
      .filter((child) => child.running < CHECKS_PER_CHILD + CREDENTIALS_PER_CHILD)
      .toSorted((a, b) => Number(b.isIdle) - Number(a.isIdle) || a.running - b.running)
  }

  /**
   * Whether a workspace that starts a call in this child leaves another child free of its calls: a workspace never has
   * calls in all shared children, so a call of another workspace always finds one where none of its calls compute.
   */
  leavesOneFree(child: Child, workspaceId: string): boolean {
    if (child.isIsolated || child.runningOf(workspaceId) > 0 || this.#size === 1) return true
    const shared = [...this.#children].filter((each) => !each.isIsolated)
    return shared.filter((each) => each.runningOf(workspaceId) > 0).length < this.#size - 1
  }

  /** Moves the calls of a workspace out of the shared children. */
  evict(workspaceId: string): void {
    for (const child of this.#children) if (!child.isIsolated) child.evict(workspaceId)
  }

  /** Stops all children. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#isolatedIdle)
    for (const child of this.#children) child.kill()
    await Promise.all(this.#spawning)
    await Promise.all([...this.#children].map((child) => child.exited))
  }

  #requestIsolated(): void {
    this.#needsIsolated = true
    this.#isolatedIdle ??= setTimeout(() => this.#stopIsolated(), ISOLATED_IDLE_MS).unref()
    this.#isolatedIdle.refresh()
    this.#spawnMissing(0)
  }

  // Rarely needed, and it uses memory.
  #stopIsolated(): void {
    const idle = [...this.#children].filter((child) => child.isIsolated)
    if (idle.some((child) => child.running > 0)) return void this.#isolatedIdle?.refresh()
    this.#needsIsolated = false
    this.#isolatedIdle = undefined
    for (const child of idle) this.#drain(child)
  }

  #spawnMissing(delayMs: number): void {
    const active = [...this.#children].filter((child) => !child.isDraining)
    const isolated = active.filter((child) => child.isIsolated).length
    const shared = active.length - isolated
    const spawningShared = this.#spawning.size - this.#spawningIsolated
    for (let missing = this.#size - shared - spawningShared; missing > 0; missing--)
      this.#spawnTracked(delayMs, false)
    if (this.#needsIsolated && isolated + this.#spawningIsolated === 0)
      this.#spawnTracked(delayMs, true)
  }

  #spawnTracked(delayMs: number, isIsolated: boolean): void {
    if (this.#isClosed) return
    if (isIsolated) this.#spawningIsolated++
    const spawned = this.#spawn(delayMs, isIsolated)
      .catch((error: unknown) => {
        this.#events.warn('a runner child could not be started', { error: String(error) })
        if (!this.#isClosed) setTimeout(() => this.#spawnMissing(0), SPAWN_RETRY_MS).unref()
      })
      .finally(() => {
        if (isIsolated) this.#spawningIsolated--
        this.#spawning.delete(spawned)
      })
    this.#spawning.add(spawned)
  }

  async #spawn(delayMs: number, isIsolated: boolean): Promise<void> {
    await sleepUnless(() => this.#isClosed, delayMs)
    if (this.#isClosed) return
    const { process, hasBubblewrap, hasSeccomp } = await spawnChild(
      this.#files,
      isIsolated ? ISOLATED_NICE : NICE,
    )
    const { startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = this.#options
    const child = new Child(process, this.#deps, this.#events, { startTimeoutMs, isIsolated })
    this.#children.add(child)
    if (!this.#hasLoggedJailSupport) logJailSupport(this.#options, { hasBubblewrap, hasSeccomp })
    this.#hasLoggedJailSupport = true
    this.#options.log?.('debug', 'started a runner child', { pid: child.pid })
    if (this.#isClosed) child.kill()
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
      this.#events.warn('a runner child was lost', { pid: child.pid })
    }
    this.#spawnMissing(child.isRetired ? 0 : this.#backOff.recordLoss())
  }
}

const CLOCK = {
  now: () => performance.now(),
  schedule: (callback: () => void, ms: number) => void setTimeout(callback, ms).unref(),
}
/** More would need more memory than a child may use. */
export const CHECKS_PER_CHILD = 24
const CREDENTIALS_PER_CHILD = 8
const SPAWN_RETRY_MS = 1_000
const DEFAULT_START_TIMEOUT_MS = 60_000
const MAX_COMPLETED_CALLS = 5_000
const MAX_RSS = 768 * 1024 * 1024
const ISOLATED_IDLE_MS = 60_000
/** Niceness: the service itself has the highest priority, isolated calls the lowest. */
const NICE = 3
const ISOLATED_NICE = 19
