import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import type { HostScope } from '../refresh-store.ts'

/** Hosts of which no more accounts are to be claimed now. */
export interface SkippedHosts {
  /** They do not respond, or are being probed. */
  readonly paused: readonly HostScope[]
  /** They only wait for a request to end. */
  readonly full: readonly HostScope[]
  /** Whether there are more. */
  readonly isTruncated: boolean
  /** Whether more can be claimed when a request ends. */
  readonly isWaiting: boolean
}

/** The lanes of all hosts to which background refreshes go. Correctness does not depend on them: a lost lane starts again. */
export class HostLanes {
  readonly #limit: number
  readonly #lanes = new Map<string, HostLane>()

  /** @param limit maximum number of requests to a host at a time */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(host: string): HostLane {
    const lane = this.#lanes.get(host) ?? new HostLane(this.#limit)
    this.#lanes.delete(host)
    this.#lanes.set(host, lane)
    return lane
  }

  /** Forgets lanes without anything to remember, and the least recently used ones beyond the maximum. */
  prune(now: number): void {
    for (const [host, lane] of this.#lanes) {
      const isSurplus = this.#lanes.size > MAX_HOSTS && lane.running === 0
      if (isSurplus || lane.isIdle(now)) this.#lanes.delete(host)
    }
  }

  /** The hosts that do not respond. */
  listOpen(now: number): HostScope[] {
    return [...this.#lanes]
      .flatMap(([host, lane]) => lane.listOpen(now).map((workspaceId) => ({ host, workspaceId })))
      .slice(0, MAX_SKIPPED)
  }

  listSkipped(now: number): SkippedHosts {
    const lanes = [...this.#lanes]
    const paused = lanes.flatMap(([host, lane]): HostScope[] =>
      lane.isPaused(now)
        ? [{ host, workspaceId: null }]
        : lane.listPausedTenants(now).map((workspaceId) => ({ host, workspaceId })),
    )
    const full = lanes.filter(([, lane]) => lane.isFull && !lane.isPaused(now))
    return {
      paused: paused.slice(0, MAX_SKIPPED),
      full: full.map(([host]) => ({ host, workspaceId: null })),
      isTruncated: paused.length > MAX_SKIPPED,
      isWaiting: lanes.some(([, lane]) => lane.isFull || lane.isProbed),
    }
  }
}

const MAX_HOSTS = 5_000
/** Those beyond it are claimed and released. */
const MAX_SKIPPED = 5_000

/** Whether a request may be sent to a host now, when another one ends, or not before the end of a pause. */
type Admission = 'send' | 'wait' | 'paused'

/**
 * The background refreshes that go to one host: how many run, and whether the host is paused, for one workspace or for all.
 * A workspace chooses what it sends to a host, so it alone is paused by its own failures. Three workspaces without an answer
 * in between pause it for all.
 */
export class HostLane {
  readonly #limit: number
  readonly #circuit = new HostCircuit()
  readonly #tenants = new Map<WorkspaceId, { readonly circuit: HostCircuit; running: number }>()
  readonly #failing = new Set<WorkspaceId>()
  #running = 0

  /** @param limit maximum number of requests at a time */
  constructor(limit: number) {
    this.#limit = limit
  }

  get running(): number {
    return this.#running
  }

  /** Whether a request that runs finds out if the host responds again, to all workspaces or to one. */
  get isProbed(): boolean {
    if (this.#circuit.isProbing) return this.#running > 0
    return [...this.#tenants.values()].some(
      ({ circuit, running }) => circuit.isProbing && running > 0,
    )
  }

  /** Whether no further request may start until one ends. */
  get isFull(): boolean {
    return this.#running >= this.#limit
  }

  admit(workspaceId: WorkspaceId, now: number): Admission {
    if (this.isPaused(now) || this.listPausedTenants(now).includes(workspaceId)) return 'paused'
    return this.isFull ? 'wait' : 'send'
  }

  /** Counts a request that starts. */
  start(workspaceId: WorkspaceId): void {
    this.#running += 1
    const tenant = this.#tenants.get(workspaceId) ?? { circuit: new HostCircuit(), running: 0 }
    tenant.running += 1
    this.#tenants.set(workspaceId, tenant)
  }

  /** Counts a request that has ended. Undefined: it tells nothing of the host. */
  end(workspaceId: WorkspaceId, answer: HostAnswer | undefined, now: number): void {
    this.#running -= 1
    const tenant = this.#tenants.get(workspaceId)
    if (tenant === undefined) return
    tenant.running -= 1
    if (answer?.hasAnswered === true) {
      this.#failing.clear()
      this.#circuit.recordSuccess()
      tenant.circuit.recordSuccess()
    } else if (answer !== undefined) this.#recordFailure(workspaceId, tenant.circuit, answer, now)
    if (tenant.running === 0 && tenant.circuit.isClosed(now)) this.#tenants.delete(workspaceId)
  }

  #recordFailure(
    workspaceId: WorkspaceId,
    circuit: HostCircuit,
    { retryAfterMs }: HostAnswer,
    now: number,
  ): void {
    const isOpen = circuit.recordFailure(now, retryAfterMs)
    const isNew = isOpen && !this.#failing.has(workspaceId)
    if (isNew) this.#failing.add(workspaceId)
    // Once the host was paused for all, each request is a probe.
    if (isNew || this.#circuit.isProbing) this.#circuit.recordFailure(now)
  }

  /** Whether the host is paused for all workspaces, or is being probed. */
  isPaused(now: number): boolean {
    return this.#circuit.getPauseMs(now) > 0 || (this.#circuit.isProbing && this.#running > 0)
  }

  /** The workspaces for which alone the host is paused, or is being probed. */
  listPausedTenants(now: number): WorkspaceId[] {
    return [...this.#tenants].flatMap(([workspaceId, { circuit, running }]) =>
      circuit.getPauseMs(now) > 0 || (circuit.isProbing && running > 0) ? [workspaceId] : [],
    )
  }

  /** For whom the host does not respond, whether requests are paused or it may be probed now: null is all workspaces. */
  listOpen(now: number): (WorkspaceId | null)[] {
    const isOpen = (circuit: HostCircuit) => circuit.isProbing || circuit.getPauseMs(now) > 0
    if (isOpen(this.#circuit)) return [null]
    return [...this.#tenants].flatMap(([workspaceId, { circuit }]) =>
      isOpen(circuit) ? [workspaceId] : [],
    )
  }

  /** Whether nothing has to be remembered about the host. */
  isIdle(now: number): boolean {
    return this.#running === 0 && this.#tenants.size === 0 && this.#circuit.isClosed(now)
  }
}

/** What a token request says about its host. */
export interface HostAnswer {
  /** Whether the host responded with a decision, be it new tokens or a refusal. */
  readonly hasAnswered: boolean
  /** The delay that the provider requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** When background refreshes that go to a host are paused. Times are monotonic milliseconds. */
class HostCircuit {
  #failures = 0
  #pauses = 0
  #pausedUntil = 0

  /** Milliseconds until requests are sent again; 0 when none is to wait. */
  getPauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now)
  }

  /** Whether one request is to find out if the host responds again. */
  get isProbing(): boolean {
    return this.#pauses > 0
  }

  /** Whether nothing speaks against the host. */
  isClosed(now: number): boolean {
    return this.#failures === 0 && this.#pauses === 0 && this.getPauseMs(now) === 0
  }

  recordSuccess(): void {
    this.#failures = 0
    this.#pauses = 0
    this.#pausedUntil = 0
  }

  /** Returns whether the circuit is now open. */
  recordFailure(now: number, retryAfterMs = 0): boolean {
    // The host asks for it, but may mean this account only: a short time.
    if (retryAfterMs > 0) this.#pauseUntil(now + Math.min(retryAfterMs, MAX_REQUESTED_PAUSE_MS))
    this.#failures += 1
    // Requests that were sent before the pause say nothing new.
    const isOpen = this.#pauses > 0 && this.getPauseMs(now) > 0
    if (!isOpen && (this.isProbing || this.#failures >= MAX_FAILURES)) this.#open(now, retryAfterMs)
    return this.#pauses > 0
  }

  #open(now: number, retryAfterMs: number): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses, MAX_PAUSE_MS)
    this.#pauses += 1
    this.#pauseUntil(now + Math.max(pauseMs, Math.min(retryAfterMs, MAX_PAUSE_MS)))
  }

  #pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time)
  }
}

/** Failures in a row that open a circuit. */
export const MAX_FAILURES = 3

const FIRST_PAUSE_MS = 30_000
const MAX_PAUSE_MS = 15 * 60_000
const MAX_REQUESTED_PAUSE_MS = 60_000
