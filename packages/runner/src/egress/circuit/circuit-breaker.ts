import { CircuitOpenError } from '../gate-error.ts'
import type { Purpose } from '../gate-types.ts'
import {
  type CircuitChange,
  type CircuitUser,
  HostCircuits,
  type HostLimits,
  type Passage,
} from './host-circuits.ts'

/** How the gate's circuit breaker behaves. */
export interface CircuitOptions extends HostLimits {
  /** Shortest time in milliseconds that a connected host must have had before its silence counts. */
  readonly leastMs: number
  /** Hosts that are remembered; beyond it the one used longest ago is dropped. */
  readonly maxHosts: number
}

/** Of production. Decision 029 says why. */
export const CIRCUIT_OPTIONS: CircuitOptions = {
  timeouts: 3,
  windowMs: 300_000,
  openMs: 10_000,
  maxOpenMs: 60_000,
  workspaces: 3,
  maxCircuits: 1_000,
  leastMs: 5_000,
  maxHosts: 5_000,
}

/** One request that wants to go to a host. */
export interface CircuitRequest extends CircuitUser {
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
  readonly isAlive: (request: Pick<CircuitRequest, 'origin' | 'purpose'>) => Promise<boolean>
  readonly onEvent?: ((event: CircuitEvent) => void) | undefined
}

/** A request that may be sent. Exactly one of the last three must be called, once. */
export interface Permit {
  /** The host began to answer. */
  began(): void
  answered(): void
  /** The gate's own deadline passed, for the connection or for the answer. `sentAt` is when the request went out. */
  timedOut(sentAt: number, missing: 'connection' | 'answer'): void
  endedOtherwise(): void
}

/** Refuses requests to hosts that time out, per workspace, and for the whole node when the host is dead for all. */
export class CircuitBreaker {
  readonly #options: CircuitOptions
  readonly #deps: CircuitBreakerDeps
  readonly #hosts = new Map<string, HostCircuits>()
  readonly #asking = new Set<string>()
  #opened = 0
  #refused = 0

  constructor(options: CircuitOptions, deps: CircuitBreakerDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** @throws CircuitOpenError while the circuit is open */
  enter(request: CircuitRequest): Permit {
    const circuits = this.#circuitsOf(request.host)
    const passage = circuits.enter(request, this.#deps.now(), request.timeoutMs)
    if (typeof passage !== 'number') return this.#permit(request, circuits, passage)
    this.#refused += 1
    throw new CircuitOpenError(request.host, passage)
  }

  stats(): CircuitStats {
    const now = this.#deps.now()
    const open = [...this.#hosts.values()].reduce((sum, circuits) => sum + circuits.openAt(now), 0)
    return { open, opened: this.#opened, refused: this.#refused }
  }

  #permit(request: CircuitRequest, circuits: HostCircuits, passage: Passage): Permit {
    const { now } = this.#deps
    return {
      began: () => circuits.isAlive(now()),
      answered: () => circuits.answered(passage, now()),
      endedOtherwise: () => circuits.endedOtherwise(passage),
      timedOut: (sentAt, missing) => {
        const at = now()
        const isShort = missing === 'answer' && at - sentAt < this.#options.leastMs
        if (isShort) circuits.endedOtherwise(passage)
        else if (circuits.timedOut(passage, at, sentAt)) void this.#ask(request, circuits)
      },
    }
  }

  /** One request at a time for each host. */
  async #ask(request: CircuitRequest, circuits: HostCircuits): Promise<void> {
    const { host } = request
    if (this.#asking.has(host)) return
    this.#asking.add(host)
    const since = this.#deps.now()
    const isAlive = await this.#deps.isAlive(request)
    this.#asking.delete(host)
    circuits.asked(isAlive, since, this.#deps.now())
  }

  #circuitsOf(host: string): HostCircuits {
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
