import { putLast } from '../../lru.ts'
import { CircuitOpenError, type CircuitStats, type Purpose } from '../egress.ts'

/** Options of the egress gateway's circuit breaker. */
export interface CircuitOptions extends HostLimits {
  /** Shortest response timeout, in milliseconds, that counts against a connected host. */
  readonly minTimeoutMs: number
  /** Maximum number of tracked hosts; beyond it the least recently used one is evicted. */
  readonly maxHosts: number
}

/** The production values. See decision 029 for the reasons. */
export const DEFAULT_CIRCUIT_OPTIONS: CircuitOptions = {
  timeouts: 3,
  windowMs: 300_000,
  openMs: 10_000,
  maxOpenMs: 60_000,
  minOpenWorkspaces: 3,
  maxCircuits: 1_000,
  minTimeoutMs: 5_000,
  maxHosts: 5_000,
}

/** A request to a host. */
export interface CircuitRequest extends CircuitScope {
  /** Scheme, host and port, normalized. */
  readonly origin: string
  /** Host and port. */
  readonly host: string
  readonly purpose: Purpose
  readonly timeoutMs: number
}

/** A state change, reported to the operator. */
export interface CircuitEvent extends CircuitChange {
  readonly host: string
}

export interface CircuitBreakerDeps {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Sends a request to a host on behalf of the node to check whether it responds at all. Never rejects. */
  readonly probeHost: (request: Pick<CircuitRequest, 'origin' | 'purpose'>) => Promise<boolean>
  readonly onEvent?: ((event: CircuitEvent) => void) | undefined
}

/** A request that may be sent. Exactly one of the last three methods must be called, once. */
export interface Permit {
  /** The host started to respond. */
  responseStarted(): void
  succeeded(): void
  /** The gateway's own deadline for the connection or the response passed. `sentAt` is when the request was sent. */
  timedOut(sentAt: number, phase: 'connection' | 'response'): void
  inconclusive(): void
}

/**
 * Rejects requests to hosts that time out, per workspace, and for the whole node if the host responds to no workspace.
 */
export class CircuitBreaker {
  readonly #options: CircuitOptions
  readonly #deps: CircuitBreakerDeps
  readonly #hosts = new Map<string, HostCircuits>()
  readonly #probing = new Set<string>()
  #opened = 0
  #refused = 0

  constructor(options: CircuitOptions, deps: CircuitBreakerDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** @throws CircuitOpenError while the circuit is open */
  acquirePermit(request: CircuitRequest): Permit {
    const circuits = this.#getCircuits(request.host)
    const admitted = circuits.admit(request, this.#deps.now(), request.timeoutMs)
    if (typeof admitted !== 'number') return this.#permit(request, circuits, admitted)
    this.#refused += 1
    throw new CircuitOpenError(request.host, admitted)
  }

  stats(): CircuitStats {
    const now = this.#deps.now()
    const open = [...this.#hosts.values()].reduce(
      (sum, circuits) => sum + circuits.openCountAt(now),
      0,
    )
    return { open, opened: this.#opened, refused: this.#refused }
  }

  #permit(request: CircuitRequest, circuits: HostCircuits, admitted: AdmittedRequest): Permit {
    const { now } = this.#deps
    return {
      responseStarted: () => circuits.markAlive(now()),
      succeeded: () => circuits.recordSuccess(admitted, now()),
      inconclusive: () => circuits.recordInconclusive(admitted),
      timedOut: (sentAt, phase) => {
        const at = now()
        const isTooShort = phase === 'response' && at - sentAt < this.#options.minTimeoutMs
        if (isTooShort) circuits.recordInconclusive(admitted)
        else if (circuits.recordTimeout(admitted, at, sentAt)) void this.#probe(request, circuits)
      },
    }
  }

  /** At most one probe per host at a time. */
  async #probe(request: CircuitRequest, circuits: HostCircuits): Promise<void> {
    const { host } = request
    if (this.#probing.has(host)) return
    this.#probing.add(host)
    const since = this.#deps.now()
    const isAlive = await this.#deps.probeHost(request)
    this.#probing.delete(host)
    circuits.recordProbe(isAlive, since, this.#deps.now())
  }

  #getCircuits(host: string): HostCircuits {
    const circuits =
      this.#hosts.get(host) ??
      new HostCircuits(this.#options, (change) => {
        if (change.change === 'opened') this.#opened += 1
        this.#deps.onEvent?.({ ...change, host })
      })
    putLast(this.#hosts, host, circuits, this.#options.maxHosts)
    return circuits
  }
}

/** Limits of the circuits of one host. */
interface HostLimits extends CircuitLimits {
  /** Number of workspaces with an open circuit that makes the node probe the host. */
  readonly minOpenWorkspaces: number
  /** Maximum number of circuits of one host; beyond it the least recently used one is evicted. */
  readonly maxCircuits: number
}

/** The callers that share a circuit: a workspace, or the visitors of its links. */
interface CircuitScope {
  readonly workspaceId: string
  /** Visitors have a separate circuit: a person with a link must not block the workspace's own requests to a host. */
  readonly isVisitor?: boolean | undefined
}

/** A request that was let through. */
interface AdmittedRequest {
  /** Identifies the circuit that counts the request. */
  readonly key: string
  /** The half-open circuit for which this request is the probe. */
  readonly probeOf: Circuit | undefined
  readonly isNodeProbe: boolean
}

/** A state change, for one workspace or for the whole node. */
interface CircuitChange {
  readonly change: 'opened' | 'closed'
  /** Absent: the whole node. */
  readonly workspaceId?: string
  readonly isVisitor?: true
}

/**
 * The circuits of one host: one for each workspace for which the host timed out, one for its visitors, and one for the
 * whole node, which opens only if the node's own probe times out too. Pure: the caller passes the time.
 */
class HostCircuits {
  readonly #limits: HostLimits
  readonly #onChange: (change: CircuitChange) => void
  readonly #circuits = new Map<string, Circuit>()
  #node: { readonly until: number; readonly ms: number } | undefined
  /** While the node's circuit is half-open: the latest time at which the probe of each workspace times out. */
  readonly #nodeProbes = new Map<string, number>()
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(limits: HostLimits, onChange: (change: CircuitChange) => void) {
    this.#limits = limits
    this.#onChange = onChange
  }

  /** Lets a request of a workspace through, or returns how many milliseconds it has to wait. */
  admit(scope: CircuitScope, now: number, timeoutMs: number): AdmittedRequest | number {
    const key = buildCircuitKey(scope)
    const circuit = this.#circuits.get(key)
    const retryDelayMs = Math.max(circuit?.retryDelayAt(now) ?? 0, this.#nodeRetryDelay(key, now))
    if (retryDelayMs > 0) return retryDelayMs
    const isNodeProbe = this.#node !== undefined
    if (isNodeProbe) this.#nodeProbes.set(key, now + timeoutMs)
    const probeOf = circuit?.admit(now, timeoutMs) ? circuit : undefined
    return { key, probeOf, isNodeProbe }
  }

  /** The host started a response to some workspace: it is alive, even if this response never ends. */
  markAlive(now: number): void {
    this.#answeredAt = now
    if (this.#node === undefined) return
    this.#node = undefined
    this.#nodeProbes.clear()
    this.#onChange({ change: 'closed' })
  }

  /** The host responded. */
  recordSuccess({ key }: AdmittedRequest, now: number): void {
    this.markAlive(now)
    const circuit = this.#circuits.get(key)
    this.#circuits.delete(key)
    if (circuit?.isClosed === false) this.#onChange({ change: 'closed', ...parseCircuitKey(key) })
  }

  /**
   * The host timed out. Returns true if enough workspaces have an open circuit that the node should probe the host and
   * pass the result to `recordProbe`.
   */
  recordTimeout(admitted: AdmittedRequest, now: number, sentAt: number): boolean {
    const { key, probeOf, isNodeProbe } = admitted
    this.#nodeProbes.delete(key)
    const circuit = this.#circuits.get(key) ?? new Circuit(this.#limits)
    putLast(this.#circuits, key, circuit, this.#limits.maxCircuits)
    const wasClosed = circuit.isClosed
    const opens = circuit.timedOut(now, probeOf === circuit)
    // The result for the whole node needs no second timeout of this workspace.
    if (!opens && isNodeProbe && wasClosed) circuit.open(now)
    if (circuit.isClosed) return false
    if (wasClosed) this.#onChange({ change: 'opened', ...parseCircuitKey(key) })
    return this.#isSuspect(now, sentAt)
  }

  /** A request ended without information about the host, such as a rejected one. */
  recordInconclusive({ key, probeOf }: AdmittedRequest): void {
    this.#nodeProbes.delete(key)
    probeOf?.releaseProbe()
  }

  /** Records the result of the node's own probe, which started at `since`. */
  recordProbe(isAlive: boolean, since: number, now: number): void {
    if (isAlive) this.markAlive(now)
    if (this.#answeredAt >= since) return
    const { openMs, maxOpenMs } = this.#limits
    const wasOpen = this.#node !== undefined
    const ms = this.#node === undefined ? openMs : Math.min(maxOpenMs, this.#node.ms * 2)
    this.#node = { until: now + ms, ms }
    if (!wasOpen) this.#onChange({ change: 'opened' })
  }

  /** How many circuits are open now, including the node's. */
  openCountAt(now: number): number {
    const node = this.#node !== undefined && now < this.#node.until ? 1 : 0
    return [...this.#circuits.values()].filter((circuit) => circuit.isOpenAt(now)).length + node
  }

  #nodeRetryDelay(key: string, now: number): number {
    if (this.#node === undefined) return 0
    if (now < this.#node.until) return this.#node.until - now
    const probeUntil = this.#nodeProbes.get(key)
    return probeUntil === undefined ? 0 : Math.max(1, probeUntil - now)
  }

  /** True if no workspace got a response since the request was sent, and enough circuits opened recently. */
  #isSuspect(now: number, sentAt: number): boolean {
    const { minOpenWorkspaces: workspaces, windowMs } = this.#limits
    if (this.#answeredAt >= sentAt || (this.#node !== undefined && now < this.#node.until))
      return false
    const suspectCircuits = [...this.#circuits].filter(
      ([, circuit]) => !circuit.isClosed && circuit.idleSince > now - windowMs,
    )
    return (
      new Set(suspectCircuits.map(([key]) => parseCircuitKey(key).workspaceId)).size >= workspaces
    )
  }
}

function buildCircuitKey({ workspaceId, isVisitor }: CircuitScope): string {
  return isVisitor ? `${workspaceId} visitor` : workspaceId
}

function parseCircuitKey(key: string): { workspaceId: string; isVisitor?: true } {
  const [workspaceId = '', visitor] = key.split(' ')
  return { workspaceId, ...(visitor === undefined ? {} : { isVisitor: true }) }
}

/** Limits of a circuit breaker. Times in milliseconds. */
interface CircuitLimits {
  /** Consecutive timeouts that open a circuit. */
  readonly timeouts: number
  /** The time within which these timeouts must occur. */
  readonly windowMs: number
  /** How long a circuit stays open at first; the time doubles with each probe that times out. */
  readonly openMs: number
  readonly maxOpenMs: number
}

/**
 * The circuit of one host for one workspace: closed until several consecutive requests time out, then open, then
 * half-open: one request, the probe, is let through and decides. Pure: the caller passes the time.
 */
class Circuit {
  readonly #limits: CircuitLimits
  /** When the latest consecutive timeouts occurred. */
  #timeouts: number[] = []
  /** Undefined while the circuit is closed. */
  #open: { readonly until: number; readonly ms: number } | undefined
  /** The latest time at which the probe in flight times out. */
  #probeUntil: number | undefined

  constructor(limits: CircuitLimits) {
    this.#limits = limits
  }

  /** True if the circuit is neither closed nor half-open. */
  isOpenAt(now: number): boolean {
    return this.#open !== undefined && now < this.#open.until
  }

  get isClosed(): boolean {
    return this.#open === undefined
  }

  /** Since when the circuit has been unused; Infinity while a probe is in flight. */
  get idleSince(): number {
    if (this.#probeUntil !== undefined) return Number.POSITIVE_INFINITY
    return this.#open?.until ?? this.#timeouts.at(-1) ?? 0
  }

  /** Milliseconds until a request may be retried; 0 when one may be sent now. */
  retryDelayAt(now: number): number {
    if (this.#open === undefined) return 0
    if (now < this.#open.until) return this.#open.until - now
    return this.#probeUntil === undefined ? 0 : Math.max(1, this.#probeUntil - now)
  }

  /** Lets a request through. Returns true if it is the probe. */
  admit(now: number, timeoutMs: number): boolean {
    if (this.#open === undefined) return false
    this.#probeUntil = now + timeoutMs
    return true
  }

  /** Records a timeout. Returns true if it opens the circuit, for the first time or again. */
  timedOut(now: number, isProbe: boolean): boolean {
    const { timeouts, windowMs } = this.#limits
    if (isProbe) this.#probeUntil = undefined
    // Requests that were in flight when the circuit opened provide no new information.
    else if (this.#open !== undefined) return false
    else if (!this.#hasReachedThreshold(now, timeouts, windowMs)) return false
    this.open(now)
    return true
  }

  /** Opens the circuit, for longer than the last time. */
  open(now: number): void {
    const { openMs, maxOpenMs } = this.#limits
    const ms = this.#open === undefined ? openMs : Math.min(maxOpenMs, this.#open.ms * 2)
    this.#open = { until: now + ms, ms }
  }

  /** The probe was inconclusive: the next request becomes the probe. */
  releaseProbe(): void {
    this.#probeUntil = undefined
  }

  #hasReachedThreshold(now: number, timeouts: number, windowMs: number): boolean {
    this.#timeouts = [...this.#timeouts, now].slice(-timeouts)
    return this.#timeouts.length === timeouts && (this.#timeouts[0] ?? 0) > now - windowMs
  }
}
