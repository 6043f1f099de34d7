import { AsyncLocalStorage } from 'node:async_hooks'
import { networkInterfaces } from 'node:os'
import { type AllowEntry, parseAddress } from './address.ts'
import { type AddressPolicy, type HostResolver, resolveTarget } from './address-policy.ts'
import {
  CircuitBreaker,
  type CircuitBreakerDeps,
  type CircuitEvent,
  type CircuitOptions,
  DEFAULT_CIRCUIT_OPTIONS,
} from './circuit/circuit-breaker.ts'
import {
  type CircuitContext,
  monitorEventLoop,
  probeHost,
  withCircuit,
} from './circuit/with-circuit.ts'
import { createConnectionPool } from './connection-pool.ts'
import { type Deadline, startDeadline, untilAborted } from './deadline.ts'
import { createNameResolver } from './dns/name-resolver.ts'
import {
  CircuitOpenError,
  EgressError,
  type EgressGateway,
  type EgressPolicy,
  toConnectionError,
} from './egress.ts'
import { parseProxyUrl } from './egress-proxy.ts'
import { exchange, openStream } from './exchange.ts'
import type { LocalHosts } from './local-host.ts'

/** The operator's options for outgoing requests. */
export interface EgressGatewayOptions {
  /** LINCHPIN_EGRESS_ALLOW, parsed by `parseAllowList`. */
  readonly allow: readonly AllowEntry[]
  /** LINCHPIN_EGRESS_PROXY: every request is sent through it by CONNECT. */
  readonly proxy?: URL | undefined
  /** LINCHPIN_EGRESS_PROXY_RESOLVES: the proxy resolves and validates names. Requires `proxy`. */
  readonly proxyResolves?: boolean | undefined
  /** Ports that this service currently listens on. They are never reachable on this machine, even if allowed. */
  readonly listeningPorts?: (() => readonly number[]) | undefined
  /** Default: resolves like the system, without blocking a thread (`createNameResolver`). */
  readonly resolve?: HostResolver | undefined
  /**
   * Receives one line per failed request, in the async context of its caller. It contains hosts and addresses, never paths
   * or headers.
   */
  readonly log?: ((detail: string) => void) | undefined
  /** Hosts that this service answers itself. */
  readonly localHosts?: LocalHosts | undefined
  /** LINCHPIN_EMULATOR: the origin, on loopback, of an emulator that gets every request to a provider. */
  readonly emulator?: URL | undefined
  /** Overrides for the circuit breaker of decision 029. */
  readonly circuits?: Partial<CircuitOptions> | undefined
  /** Called when a circuit opens or closes. */
  readonly onCircuitChange?: ((event: CircuitEvent) => void) | undefined
  /** A clock in milliseconds. Default: Date.now. */
  readonly now?: (() => number) | undefined
}

/**
 * Sends all outgoing requests of Linchpin. Every request and every redirect is validated, and
 * exactly the validated addresses are dialled. Proxy variables of the environment are ignored.
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
    if (closed) throw new EgressError('aborted', 'the egress gateway is closed')
    const deadline = startDeadline(policy.timeoutMs, policy.signal)
    activeDeadlines.add(deadline)
    return deadline
  }
  const finishExchange = (deadline: Deadline): void => {
    activeDeadlines.delete(deadline)
    deadline.clear()
  }
  const logFailure = ({ purpose }: Pick<EgressPolicy, 'purpose'>, cause: unknown): EgressError => {
    const error = toConnectionError(cause, 'exchange')
    // These rejections are counted: a log line for each would be too many.
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
      // The end of a body is an event of its connection, which may have been opened for another caller.
      const runAsCaller = AsyncLocalStorage.snapshot()
      const onEnd = (cause: EgressError | undefined): void => {
        finishExchange(deadline)
        if (cause) runAsCaller(logFailure, policy, cause)
      }
      try {
        const { signal } = deadline
        const context = { connectionPool, addressPolicy, policy, signal, onEnd }
        return await withCircuit(circuits, request, policy, (progress) =>
          openStream({ ...context, progress }, request),
        )
      } catch (cause) {
        finishExchange(deadline)
        throw logFailure(policy, cause)
      }
    },
    async validate(url, policy) {
      const deadline = beginExchange(policy)
      try {
        const { signal } = deadline
        await untilAborted(signal, resolveTarget(addressPolicy, { url, ...policy, signal }))
      } catch (cause) {
        throw logFailure(policy, cause)
      } finally {
        finishExchange(deadline)
      }
    },
    circuits: () => circuits.breaker.stats(),
    async close() {
      closed = true
      circuits.eventLoop.stop()
      for (const deadline of activeDeadlines)
        deadline.abort(new EgressError('aborted', 'the egress gateway was closed'))
      await connectionPool.close()
    },
  }
}

function createAddressPolicy(options: EgressGatewayOptions, resolve: HostResolver): AddressPolicy {
  return {
    allow: options.allow,
    listeningPorts: options.listeningPorts ?? (() => []),
    selfAddresses: listSelfAddresses(options.now ?? Date.now),
    resolve,
    proxyResolves: options.proxy !== undefined && options.proxyResolves === true,
    localHosts: options.localHosts,
    emulator: options.emulator,
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

/** This machine's interface addresses in canonical notation, read at most every 5 seconds. */
export function listSelfAddresses(now: () => number): () => ReadonlySet<string> {
  let cached: ReadonlySet<string> = new Set()
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (Math.abs(now() - readAt) >= CACHE_TTL_MS) {
      cached = readInterfaceAddresses()
      readAt = now()
    }
    return cached
  }
}

const CACHE_TTL_MS = 5_000

function readInterfaceAddresses(): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    const parsed = parseAddress(address.replace(/%.*$/, ''))
    if (parsed) addresses.add(parsed.toString())
  }
  return addresses
}
