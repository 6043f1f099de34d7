import { setTimeout as sleep } from 'node:timers/promises'
import type { RunnerOptions } from '../runner.ts'
import { BundleImages } from './bundle-images.ts'
import {
  Child,
  type ChildDeps,
  type ChildEvents,
  type SupervisorDeps,
  type SupervisorEvents,
} from './child.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { logSandboxSupport, spawnChild } from './spawn-child.ts'

/** Keeps runner children alive: some that all workspaces share, and, while it is needed, one for isolated calls. */
export class ChildSupervisor {
  readonly #size: number
  readonly #options: RunnerOptions
  readonly #files: SandboxFiles
  readonly #deps: ChildDeps
  readonly #events: SupervisorEvents
  readonly #children = new Set<Child>()
  readonly #backOff = new BackOff(Date.now)
  readonly #spawning = new Set<Promise<void>>()
  readonly #demand: ChildDemand
  #hasStarted = false
  #spawningIsolated = 0
  #spawnRetry: NodeJS.Timeout | undefined
  restarts = 0
  replacements = 0
  isConfined: boolean | undefined
  readonly #closing = new AbortController()

  constructor({ size, options, files, relayDeps }: SupervisorDeps, events: SupervisorEvents) {
    this.#size = size
    this.#options = options
    this.#files = files
    const images = new BundleImages(files, options.images, options.niceness?.isolated)
    this.#deps = { ...relayDeps, images }
    this.#events = events
    const isLazy = options.children === undefined
    this.#demand = new ChildDemand({ size, isLazy }, (isIsolated) => this.#stopSpare(isIsolated))
    if (!isLazy) this.startFirst()
  }

  /** Starts the first shared child, unless it has been started. */
  startFirst(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#spawnTracked(0, false)
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
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
      this.#demand.requestMore(true)
      this.#spawnMissing(0)
    } else this.startFirst()
    return listAvailableChildren(this.#children, isIsolated)
  }

  /** Starts the other shared children, unless the first one is not ready: they would only slow it down. */
  grow(): void {
    if (!this.hasReadyChild(false)) return
    this.#demand.requestMore(false)
    this.#spawnMissing(0)
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
    this.#closing.abort()
    this.#demand.clear()
    for (const child of this.#children) child.kill()
    await Promise.all([...this.#spawning, this.#deps.images.close()])
    await Promise.all([...this.#children].map((child) => child.exited))
  }

  #stopSpare(isIsolated: boolean): void {
    const spare = listActiveChildren(this.#children, isIsolated).slice(isIsolated ? 0 : 1)
    if (spare.some((child) => child.running > 0)) this.#demand.requestMore(isIsolated)
    else for (const child of spare) this.#drain(child)
  }

  #spawnMissing(delayMs: number): void {
    const spawningShared = this.#spawning.size - this.#spawningIsolated
    const shared = listActiveChildren(this.#children, false).length + spawningShared
    const isolated = listActiveChildren(this.#children, true).length + this.#spawningIsolated
    for (let count = shared; count < this.#demand.shared; count++)
      this.#spawnTracked(delayMs, false)
    if (isolated < this.#demand.isolated) this.#spawnTracked(delayMs, true)
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
    const retry = () => {
      this.#spawnRetry = undefined
      this.#spawnMissing(0)
    }
    if (!this.#isClosed) this.#spawnRetry ??= setTimeout(retry, SPAWN_RETRY_MS).unref()
  }

  async #spawn(delayMs: number, isIsolated: boolean): Promise<void> {
    const { signal } = this.#closing
    await sleep(delayMs, undefined, { signal }).catch(() => {})
    if (this.#isClosed) return
    const { startTimeoutMs = DEFAULT_START_TIMEOUT_MS, niceness = NICENESS } = this.#options
    const nice = isIsolated ? niceness.isolated : niceness.shared
    const { process, ...support } = await spawnChild(this.#files, nice)
    const events = this.#childEvents(() => child)
    const child: Child = new Child(process, this.#deps, events, { startTimeoutMs, isIsolated })
    this.#children.add(child)
    if (this.isConfined === undefined) logSandboxSupport(this.#options, support)
    this.isConfined = support.hasBubblewrap && support.hasSeccomp
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
    if (!child.isDraining && isWornOut(child)) {
      const { completedCalls: served, rss, pid } = child
      this.#options.log?.('debug', 'replacing a runner child', { pid, served, rss })
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
/** The service itself has the highest priority, isolated calls the lowest. */
const NICENESS = { shared: 3, isolated: 19 }

/** How many children of each kind are needed, by what has been requested in the last minute. */
class ChildDemand {
  readonly #size: number
  readonly #shared: IdleTimeout | undefined
  readonly #isolated: IdleTimeout

  /**
   * `size`: the shared children while calls queue. `isLazy`: otherwise there is one; if not, there are always `size`.
   * `onIdle` is called when fewer children are needed; `requestMore` there keeps them for another minute.
   */
  constructor(
    { size, isLazy }: { readonly size: number; readonly isLazy: boolean },
    onIdle: (isIsolated: boolean) => void,
  ) {
    this.#size = size
    this.#shared = isLazy ? new IdleTimeout(IDLE_MS, () => onIdle(false)) : undefined
    this.#isolated = new IdleTimeout(IDLE_MS, () => onIdle(true))
  }

  get shared(): number {
    return this.#shared === undefined || this.#shared.isActive ? this.#size : 1
  }

  get isolated(): number {
    return this.#isolated.isActive ? 1 : 0
  }

  requestMore(isIsolated: boolean): void {
    if (isIsolated) this.#isolated.refresh()
    else this.#shared?.refresh()
  }

  clear(): void {
    this.#isolated.clear()
    this.#shared?.clear()
  }
}

const IDLE_MS = 60_000

/** Tracks whether something has been needed recently; calls back once it has not been needed for some milliseconds. */
class IdleTimeout {
  readonly #ms: number
  readonly #onIdle: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, onIdle: () => void) {
    this.#ms = ms
    this.#onIdle = onIdle
  }

  get isActive(): boolean {
    return this.#timer !== undefined
  }

  /** It is needed now. `onIdle` may call this to wait for as long again. */
  refresh(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#onIdle()
    }, this.#ms).unref()
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Delays the replacement of lost children, so that a crash loop does not overload the machine. */
export class BackOff {
  readonly #now: () => number
  #losses: number[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Records that a child was lost. @returns milliseconds to wait: 0 for the first few within half a minute, then
   * increasing
   */
  recordLoss(): number {
    const now = this.#now()
    this.#losses = this.#losses.filter((at) => at > now - WINDOW_MS)
    this.#losses.push(now)
    const excess = this.#losses.length - FREE_RESTARTS
    return excess <= 0 ? 0 : Math.min(MAX_DELAY_MS, 100 * 2 ** excess)
  }
}

const WINDOW_MS = 30_000
const FREE_RESTARTS = 4
const MAX_DELAY_MS = 5_000

/** The shared or isolated children that accept calls: idle ones first, then by number of calls. */
function listAvailableChildren(children: Iterable<Child>, isIsolated: boolean): Child[] {
  return [...children]
    .filter((child) => child.isIsolated === isIsolated && child.isReady && !child.isDraining)
    .filter((child) => child.running < CHECKS_PER_CHILD + CREDENTIALS_PER_CHILD)
    .toSorted((a, b) => Number(b.isIdle) - Number(a.isIdle) || a.running - b.running)
}

/** The children of a kind that are not about to be replaced. */
function listActiveChildren(children: Iterable<Child>, isIsolated: boolean): Child[] {
  return [...children].filter((child) => child.isIsolated === isIsolated && !child.isDraining)
}

/** Whether a child has completed many calls or uses much memory. */
function isWornOut({ completedCalls, rss }: Child): boolean {
  return completedCalls >= MAX_COMPLETED_CALLS || rss > MAX_RSS
}

/**
 * Whether a workspace that starts a call in this child leaves another child free of its calls: a workspace never has
 * calls in all of the `size` shared children, so a call of another workspace always finds one where none of its calls
 * compute.
 */
function isOneLeftFree(
  child: Child,
  workspaceId: string,
  { children, size }: { readonly children: Iterable<Child>; readonly size: number },
): boolean {
  if (child.isIsolated || child.runningOf(workspaceId) > 0 || size === 1) return true
  const shared = [...children].filter((each) => !each.isIsolated)
  return shared.filter((each) => each.runningOf(workspaceId) > 0).length < size - 1
}

/** More would need more memory than a child may use. */
export const CHECKS_PER_CHILD = 24
const CREDENTIALS_PER_CHILD = 8
const MAX_COMPLETED_CALLS = 5_000
const MAX_RSS = 768 * 1024 * 1024
