import { Circuit, type CircuitLimits } from './circuit.ts'

/** Bounds of the circuits of one host. */
export interface HostLimits extends CircuitLimits {
  /** So many workspaces with an open circuit make the host suspect for the whole node. */
  readonly workspaces: number
  /** Circuits of one host; beyond it the one used longest ago is dropped. */
  readonly maxCircuits: number
}

/** Who shares a circuit: a workspace, or the visitors of its links. */
export interface CircuitScope {
  readonly workspaceId: string
  /** Visitors have a circuit apart: whoever has a link must not stop the workspace's own requests to a host. */
  readonly isVisitor?: boolean | undefined
}

/** A request that passed. */
export interface AdmittedRequest {
  /** Of the circuit that counts it. */
  readonly key: string
  /** The half-open circuit that this request decides on. */
  readonly probeOf: Circuit | undefined
  readonly isNodeProbe: boolean
}

/** What changed: for one workspace, or for the whole node. */
export interface CircuitChange {
  readonly change: 'opened' | 'closed'
  /** Absent: the whole node. */
  readonly workspaceId?: string
  readonly isVisitor?: true
}

/**
 * The circuits of one host: one for each workspace that saw it time out, one for its visitors, and one for the whole node, which opens only
 * when the node's own request got no answer either. Pure: the caller brings the time.
 */
export class HostCircuits {
  readonly #limits: HostLimits
  readonly #onChange: (change: CircuitChange) => void
  readonly #circuits = new Map<string, Circuit>()
  #node: { readonly until: number; readonly ms: number } | undefined
  /** While the node's circuit is half-open: when the probe of each workspace times out at the latest. */
  readonly #nodeProbes = new Map<string, number>()
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(limits: HostLimits, onChange: (change: CircuitChange) => void) {
    this.#limits = limits
    this.#onChange = onChange
  }

  /** Lets a request of a workspace pass, or answers how many milliseconds it has to wait. */
  admit(scope: CircuitScope, now: number, timeoutMs: number): AdmittedRequest | number {
    const key = circuitKey(scope)
    const circuit = this.#circuits.get(key)
    const retryDelayMs = Math.max(circuit?.retryDelayAt(now) ?? 0, this.#nodeRetryDelay(key, now))
    if (retryDelayMs > 0) return retryDelayMs
    const isNodeProbe = this.#node !== undefined
    if (isNodeProbe) this.#nodeProbes.set(key, now + timeoutMs)
    const probeOf = circuit?.admit(now, timeoutMs) ? circuit : undefined
    return { key, probeOf, isNodeProbe }
  }

  /** The host began to answer somebody: it is alive, though this answer may never end. */
  markAlive(now: number): void {
    this.#answeredAt = now
    if (this.#node === undefined) return
    this.#node = undefined
    this.#nodeProbes.clear()
    this.#onChange({ change: 'closed' })
  }

  /** The host answered. */
  recordSuccess({ key }: AdmittedRequest, now: number): void {
    this.markAlive(now)
    const circuit = this.#circuits.get(key)
    this.#circuits.delete(key)
    if (circuit?.isClosed === false) this.#onChange({ change: 'closed', ...parseCircuitKey(key) })
  }

  /**
   * The host did not answer. True: so many workspaces agree by now that the node should ask the host itself, and hand
   * over the outcome by `asked`.
   */
  recordTimeout(admitted: AdmittedRequest, now: number, sentAt: number): boolean {
    const { key, probeOf, isNodeProbe } = admitted
    this.#nodeProbes.delete(key)
    const circuit = this.#circuits.get(key) ?? new Circuit(this.#limits)
    this.#store(key, circuit)
    const wasClosed = circuit.isClosed
    const opens = circuit.timedOut(now, probeOf === circuit)
    // What the whole node found out needs no second timeout of this workspace.
    if (!opens && isNodeProbe && wasClosed) circuit.open(now)
    if (circuit.isClosed) return false
    if (wasClosed) this.#onChange({ change: 'opened', ...parseCircuitKey(key) })
    return this.#isSuspect(now, sentAt)
  }

  /** A request ended in a way that says nothing of the host, such as a refusal. */
  recordInconclusive({ key, probeOf }: AdmittedRequest): void {
    this.#nodeProbes.delete(key)
    probeOf?.releaseProbe()
  }

  /** The outcome of the node's own request, which began at `since`. */
  recordProbe(isAlive: boolean, since: number, now: number): void {
    if (isAlive) this.markAlive(now)
    if (this.#answeredAt >= since) return
    const { openMs, maxOpenMs } = this.#limits
    const wasOpen = this.#node !== undefined
    const ms = this.#node === undefined ? openMs : Math.min(maxOpenMs, this.#node.ms * 2)
    this.#node = { until: now + ms, ms }
    if (!wasOpen) this.#onChange({ change: 'opened' })
  }

  /** How many circuits refuse requests now, the node's included. */
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

  /** Nobody got an answer since the request was sent, and enough workspaces found their circuit open of late. */
  #isSuspect(now: number, sentAt: number): boolean {
    const { workspaces, windowMs } = this.#limits
    if (this.#answeredAt >= sentAt || (this.#node !== undefined && now < this.#node.until))
      return false
    const suspectCircuits = [...this.#circuits].filter(
      ([, circuit]) => !circuit.isClosed && circuit.idleSince > now - windowMs,
    )
    return (
      new Set(suspectCircuits.map(([key]) => parseCircuitKey(key).workspaceId)).size >= workspaces
    )
  }

  #store(key: string, circuit: Circuit): void {
    this.#circuits.delete(key)
    this.#circuits.set(key, circuit)
    const [oldest] = this.#circuits.keys()
    if (this.#circuits.size > this.#limits.maxCircuits && oldest !== undefined)
      this.#circuits.delete(oldest)
  }
}

function circuitKey({ workspaceId, isVisitor }: CircuitScope): string {
  return isVisitor ? `${workspaceId} visitor` : workspaceId
}

function parseCircuitKey(key: string): { workspaceId: string; isVisitor?: true } {
  const [workspaceId = '', visitor] = key.split(' ')
  return { workspaceId, ...(visitor === undefined ? {} : { isVisitor: true }) }
}
