import type { AllowEntry } from './allow-list.ts'
import { askHost } from './circuit/ask-host.ts'
import {
  CIRCUIT_OPTIONS,
  CircuitBreaker,
  type CircuitBreakerDeps,
  type CircuitEvent,
  type CircuitOptions,
} from './circuit/circuit-breaker.ts'
import { watchStalls } from './circuit/stall-watch.ts'
import { type CircuitContext, throughCircuit } from './circuit/through-circuit.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { createNameResolver } from './dns/name-resolver.ts'
import { exchange } from './exchange.ts'
import { CircuitOpenError, connectionFailure, GateError } from './gate-error.ts'
import type { Gate, GatePolicy } from './gate-types.ts'
import type { JudgeRules } from './judge.ts'
import { createLanes } from './lanes.ts'
import { ownAddresses } from './own-addresses.ts'
import { readProxy } from './proxy.ts'
import type { Resolve } from './resolve.ts'
import { openStream } from './stream.ts'

/** What the operator decides about outgoing requests. */
export interface GateOptions {
  /** LINCHPIN_EGRESS_ALLOW, read by `parseAllowList`. */
  readonly allow: readonly AllowEntry[]
  /** LINCHPIN_EGRESS_PROXY: every request goes through it by CONNECT. */
  readonly proxy?: URL | undefined
  /** LINCHPIN_EGRESS_PROXY_RESOLVES: names are resolved and judged by the proxy. Needs `proxy`. */
  readonly proxyResolves?: boolean | undefined
  /** Ports that this service listens on now. They are never reachable on this machine, allowed or not. */
  readonly ownPorts?: (() => readonly number[]) | undefined
  /** Default: as the system finds names, without holding a thread (`createNameResolver`). */
  readonly resolve?: Resolve | undefined
  /** Receives one line per request that got no answer. It names hosts and addresses, never paths or headers. */
  readonly log?: ((detail: string) => void) | undefined
  /** Changes to the circuit breaker of decision 029. */
  readonly circuits?: Partial<CircuitOptions> | undefined
  /** Hears when a circuit opens or closes. */
  readonly onCircuit?: ((event: CircuitEvent) => void) | undefined
  /** Milliseconds of a clock. Default: Date.now. */
  readonly now?: (() => number) | undefined
}

/**
 * The only way out of Linchpin (`design.md` section 6.2). Every request and every redirect is judged, and exactly the
 * judged address is dialled. Environment variables about proxies are ignored.
 *
 * @throws TypeError when the proxy is not an http(s) URL
 */
export function createGate(options: GateOptions): Gate {
  const resolve = options.resolve ?? createNameResolver()
  const lanes = createLanes(options.proxy && readProxy(options.proxy, resolve))
  const rules = rulesOf(options, resolve)
  const circuits = circuitsOf(options, (request) => askHost({ lanes, rules }, request))
  const running = new Set<Deadline>()
  let closed = false
  const begin = (policy: Pick<GatePolicy, 'timeoutMs' | 'signal'>): Deadline => {
    if (closed) throw new GateError('aborted', 'the gate is closed')
    const deadline = startDeadline(policy.timeoutMs, policy.signal)
    running.add(deadline)
    return deadline
  }
  const finish = (deadline: Deadline): void => {
    running.delete(deadline)
    deadline.end()
  }
  const noted = ({ purpose }: Pick<GatePolicy, 'purpose'>, cause: unknown): GateError => {
    const error = connectionFailure(cause, 'exchange')
    // Refusals of this kind are counted: a line for each would be many.
    if (!(error instanceof CircuitOpenError))
      options.log?.(`${purpose} request ${error.code}: ${error.detail}`)
    return error
  }
  return {
    async request(request, policy) {
      const deadline = begin(policy)
      try {
        return await exchange({ lanes, rules, circuits, policy, signal: deadline.signal }, request)
      } catch (cause) {
        throw noted(policy, cause)
      } finally {
        finish(deadline)
      }
    },
    async stream(request, policy) {
      const deadline = begin(policy)
      const ended = (cause: unknown): void => {
        finish(deadline)
        if (cause) noted(policy, cause)
      }
      try {
        const context = { lanes, rules, policy, deadline, ended }
        return await throughCircuit(circuits, request, policy, (progress) =>
          openStream({ ...context, progress }, request),
        )
      } catch (cause) {
        finish(deadline)
        throw noted(policy, cause)
      }
    },
    circuits: () => circuits.breaker.stats(),
    async close() {
      closed = true
      circuits.stalls.stop()
      for (const deadline of running) deadline.stop(new GateError('aborted', 'the gate closed'))
      await lanes.close()
    },
  }
}

function rulesOf(options: GateOptions, resolve: Resolve): JudgeRules {
  return {
    allow: options.allow,
    ownPorts: options.ownPorts ?? (() => []),
    ownAddresses: ownAddresses(options.now ?? Date.now),
    resolve,
    proxyResolves: options.proxy !== undefined && options.proxyResolves === true,
  }
}

function circuitsOf(options: GateOptions, isAlive: CircuitBreakerDeps['isAlive']): CircuitContext {
  const now = () => performance.now()
  const limits = { ...CIRCUIT_OPTIONS, ...options.circuits }
  const breaker = new CircuitBreaker(limits, { now, isAlive, onEvent: options.onCircuit })
  return { breaker, stalls: watchStalls(now), now }
}
