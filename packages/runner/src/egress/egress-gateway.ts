import type { AddressPolicy } from './address-policy.ts'
import type { AllowEntry } from './allow-list.ts'
import {
  CircuitBreaker,
  type CircuitBreakerDeps,
  type CircuitEvent,
  type CircuitOptions,
  DEFAULT_CIRCUIT_OPTIONS,
} from './circuit/circuit-breaker.ts'
import { monitorEventLoop } from './circuit/event-loop-monitor.ts'
import { probeHost } from './circuit/probe-host.ts'
import { type CircuitContext, withCircuit } from './circuit/with-circuit.ts'
import { createConnectionPool } from './connection-pool.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { createNameResolver } from './dns/name-resolver.ts'
import { CircuitOpenError, connectionFailure, EgressError } from './egress-error.ts'
import { parseProxyUrl } from './egress-proxy.ts'
import type { EgressGateway, EgressPolicy } from './egress-types.ts'
import { exchange } from './exchange.ts'
import { openStream } from './open-stream.ts'
import type { Resolve } from './resolve-host.ts'
import { selfAddresses } from './self-addresses.ts'

/** What the operator decides about outgoing requests. */
export interface EgressGatewayOptions {
  /** LINCHPIN_EGRESS_ALLOW, read by `parseAllowList`. */
  readonly allow: readonly AllowEntry[]
  /** LINCHPIN_EGRESS_PROXY: every request goes through it by CONNECT. */
  readonly proxy?: URL | undefined
  /** LINCHPIN_EGRESS_PROXY_RESOLVES: names are resolved and judged by the proxy. Needs `proxy`. */
  readonly proxyResolves?: boolean | undefined
  /** Ports that this service listens on now. They are never reachable on this machine, allowed or not. */
  readonly listeningPorts?: (() => readonly number[]) | undefined
  /** Default: as the system finds names, without holding a thread (`createNameResolver`). */
  readonly resolve?: Resolve | undefined
  /** Receives one line per request that got no answer. It names hosts and addresses, never paths or headers. */
  readonly log?: ((detail: string) => void) | undefined
  /** Changes to the circuit breaker of decision 029. */
  readonly circuits?: Partial<CircuitOptions> | undefined
  /** Hears when a circuit opens or closes. */
  readonly onCircuitChange?: ((event: CircuitEvent) => void) | undefined
  /** Milliseconds of a clock. Default: Date.now. */
  readonly now?: (() => number) | undefined
}

/**
 * The only way out of Linchpin (`design.md` section 6.2). Every request and every redirect is judged, and exactly the
 * judged address is dialled. Environment variables about proxies are ignored.
 *
 * @throws TypeError when the proxy is not an http(s) URL
 */
export function createEgressGateway(options: EgressGatewayOptions): EgressGateway {
  const resolve = options.resolve ?? createNameResolver()
  const connectionPool = createConnectionPool(
    options.proxy && parseProxyUrl(options.proxy, resolve),
  )
  const addressPolicy = createAddressPolicy(options, resolve)
  const circuits = createCircuitContext(options, (request) =>
    probeHost({ connectionPool, addressPolicy }, request),
  )
  const activeDeadlines = new Set<Deadline>()
  let closed = false
  const beginExchange = (policy: Pick<EgressPolicy, 'timeoutMs' | 'signal'>): Deadline => {
    if (closed) throw new EgressError('aborted', 'the gate is closed')
    const deadline = startDeadline(policy.timeoutMs, policy.signal)
    activeDeadlines.add(deadline)
    return deadline
  }
  const finishExchange = (deadline: Deadline): void => {
    activeDeadlines.delete(deadline)
    deadline.clear()
  }
  const logFailure = ({ purpose }: Pick<EgressPolicy, 'purpose'>, cause: unknown): EgressError => {
    const error = connectionFailure(cause, 'exchange')
    // Refusals of this kind are counted: a line for each would be many.
    if (!(error instanceof CircuitOpenError))
      options.log?.(`${purpose} request ${error.code}: ${error.detail}`)
    return error
  }
  return {
    async request(request, policy) {
      const deadline = beginExchange(policy)
      try {
        return await exchange(
          { connectionPool, addressPolicy, circuits, policy, signal: deadline.signal },
          request,
        )
      } catch (cause) {
        throw logFailure(policy, cause)
      } finally {
        finishExchange(deadline)
      }
    },
    async stream(request, policy) {
      const deadline = beginExchange(policy)
      const onEnd = (cause: unknown): void => {
        finishExchange(deadline)
        if (cause) logFailure(policy, cause)
      }
      try {
        const context = { connectionPool, addressPolicy, policy, deadline, onEnd }
        return await withCircuit(circuits, request, policy, (progress) =>
          openStream({ ...context, progress }, request),
        )
      } catch (cause) {
        finishExchange(deadline)
        throw logFailure(policy, cause)
      }
    },
    circuits: () => circuits.breaker.stats(),
    async close() {
      closed = true
      circuits.eventLoop.stop()
      for (const deadline of activeDeadlines)
        deadline.abort(new EgressError('aborted', 'the gate closed'))
      await connectionPool.close()
    },
  }
}

function createAddressPolicy(options: EgressGatewayOptions, resolve: Resolve): AddressPolicy {
  return {
    allow: options.allow,
    listeningPorts: options.listeningPorts ?? (() => []),
    selfAddresses: selfAddresses(options.now ?? Date.now),
    resolve,
    proxyResolves: options.proxy !== undefined && options.proxyResolves === true,
  }
}

function createCircuitContext(
  options: EgressGatewayOptions,
  isAlive: CircuitBreakerDeps['probeHost'],
): CircuitContext {
  const now = () => performance.now()
  const limits = { ...DEFAULT_CIRCUIT_OPTIONS, ...options.circuits }
  const breaker = new CircuitBreaker(limits, {
    now,
    probeHost: isAlive,
    onEvent: options.onCircuitChange,
  })
  return { breaker, eventLoop: monitorEventLoop(now), now }
}
