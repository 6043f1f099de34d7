import { CircuitOpenError } from '../egress-error.ts'
import type { CircuitStats, Purpose } from '../egress-types.ts'
import {
  type AdmittedRequest,
  type CircuitChange,
  type CircuitScope,
  HostCircuits,
  type HostLimits,
} from './host-circuits.ts'

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
    this.#hosts.delete(host)
    this.#hosts.set(host, circuits)
    const [oldest] = this.#hosts.keys()
    if (this.#hosts.size > this.#options.maxHosts && oldest !== undefined)
      this.#hosts.delete(oldest)
    return circuits
  }
}
