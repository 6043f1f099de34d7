import { CircuitOpenError } from '../egress-error.ts'
import type { Purpose } from '../egress-types.ts'
import {
  type AdmittedRequest,
  type CircuitChange,
  type CircuitScope,
  HostCircuits,
  type HostLimits,
} from './host-circuits.ts'

/** How the gate's circuit breaker behaves. */
export interface CircuitOptions extends HostLimits {
  /** Shortest time in milliseconds that a connected host must have had before its silence counts. */
  readonly minTimeoutMs: number
  /** Hosts that are remembered; beyond it the one used longest ago is dropped. */
  readonly maxHosts: number
}

/** Of production. Decision 029 says why. */
export const DEFAULT_CIRCUIT_OPTIONS: CircuitOptions = {
  timeouts: 3,
  windowMs: 300_000,
  openMs: 10_000,
  maxOpenMs: 60_000,
  workspaces: 3,
  maxCircuits: 1_000,
  minTimeoutMs: 5_000,
  maxHosts: 5_000,
}

/** One request that wants to go to a host. */
export interface CircuitRequest extends CircuitScope {
  /** Scheme, host and port, normalized. */
  readonly origin: string
  /** Host and port. */
  readonly host: string
  readonly purpose: Purpose
  readonly timeoutMs: number
}

/** What the gate tells an operator. */
export interface CircuitEvent extends CircuitChange {
  readonly host: string
}

/** For metrics. */
export interface CircuitStats {
  /** Circuits that refuse requests now. */
  readonly open: number
  /** Circuits that opened so far. */
  readonly opened: number
  /** Requests that were refused so far. */
  readonly refused: number
}

export interface CircuitBreakerDeps {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Asks a host on the node's own behalf whether it answers at all. Never rejects. */
  readonly probeHost: (request: Pick<CircuitRequest, 'origin' | 'purpose'>) => Promise<boolean>
  readonly onEvent?: ((event: CircuitEvent) => void) | undefined
}

/** A request that may be sent. Exactly one of the last three must be called, once. */
export interface Permit {
  /** The host began to answer. */
  responseStarted(): void
  succeeded(): void
  /** The gate's own deadline passed, for the connection or for the answer. `sentAt` is when the request went out. */
  timedOut(sentAt: number, phase: 'connection' | 'answer'): void
  inconclusive(): void
}

/** Refuses requests to hosts that time out, per workspace, and for the whole node when the host is dead for all. */
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
        const isTooShort = phase === 'answer' && at - sentAt < this.#options.minTimeoutMs
        if (isTooShort) circuits.recordInconclusive(admitted)
        else if (circuits.recordTimeout(admitted, at, sentAt)) void this.#probe(request, circuits)
      },
    }
  }

  /** One request at a time for each host. */
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
    this.#hosts.delete(host)
    this.#hosts.set(host, circuits)
    const [oldest] = this.#hosts.keys()
    if (this.#hosts.size > this.#options.maxHosts && oldest !== undefined)
      this.#hosts.delete(oldest)
    return circuits
  }
}
