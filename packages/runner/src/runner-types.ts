import type { EgressGateway } from './egress/egress-types.ts'
import type { Limits } from './limits.ts'
import type { Command } from './protocol.ts'
import type { Tenant } from './tenant.ts'
import type { GuardedSecret } from './tokens/guarded-secret.ts'
import type { TokenObserver } from './tokens/token-observer.ts'

/** A stored bundle. `load` is called when a runner child does not hold the code: about once per child. */
export interface Bundle {
  /** SHA-256 of the code, in lower-case hexadecimal. */
  readonly sha256: string
  load(): Promise<string>
}

/** One call of a bundle. */
export interface BundleCall {
  readonly bundle: Bundle
  readonly tenant: Tenant
  readonly command: Command
  readonly params: Readonly<Record<string, unknown>>
  /** Hosts the bundle may reach (`x-hosts` of its spec). */
  readonly hosts?: readonly string[] | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Observes the token requests of this call. */
  readonly tokens?: TokenObserver | undefined
  /** A request that contains this secret is sent only where the secret may go. */
  readonly secret?: GuardedSecret | undefined
  /** Default: `credentials` for HEADERS, `checks` for everything else. */
  readonly lane?: Lane | undefined
}

/** Calls that somebody's request to a provider waits for have places of their own. */
export type Lane = 'credentials' | 'checks'

/** How the last request of a call went; `none` when there was no request. */
export type LastExchange =
  | 'none'
  | 'answered'
  | 'egress_unavailable'
  | 'refused'
  | 'timeout'
  | 'rate_limited'
  | 'server_error'

/** What a call answered: plain JSON data, parsed in the host. */
export interface BundleResult {
  readonly value: unknown
  readonly lastExchange: LastExchange
  /** The HTTP status of the last request's answer; undefined when it got none, or there was no request. */
  readonly lastStatus: number | undefined
}

/**
 * Why a call has no answer.
 * `bundle_invalid`: the code does not load or exports no function. `integration_failed`: it threw, exited or crashed.
 * `integration_timeout`: out of CPU or wall time. `integration_limit`: out of memory or another limit.
 * `integration_bad_output`: the answer is not JSON. `overloaded`: the wait for a place would be too long, or
 * another call took the child down and this one must not be sent twice; `retryAfterMs` says when to try again.
 */
export type RunnerErrorCode =
  | 'bundle_invalid'
  | 'integration_failed'
  | 'integration_timeout'
  | 'integration_limit'
  | 'integration_bad_output'
  | 'overloaded'

/** One question about a `pattern` of a spec. Without a value only its syntax is judged. */
export interface PatternTest {
  readonly pattern: string
  readonly value?: string
}

/** `invalid`: not a regular expression. */
export type PatternResult = 'match' | 'no_match' | 'invalid'

/** Runs untrusted bundles, each call from the same clean state. */
export interface Runner {
  /**
   * Runs one command. Of a CHECK's answer the keys of `CheckResult` are passed on; their texts are cut to 2,000 characters
   * and cleared of the values of `params.config`, or left out when there are too many of those. Other answers are data.
   *
   * @throws RunnerError; its message is safe to show: secrets of `params.config` are removed. What `load` throws
   */
  run(call: BundleCall): Promise<BundleResult>
  /** Judges patterns of specs inside the jail, so that a slow one cannot stop the service. @throws RunnerError */
  testPatterns(tests: readonly PatternTest[], tenant: Tenant): Promise<PatternResult[]>
  /** Resolves when a child is up. */
  ready(): Promise<void>
  /** For metrics. */
  stats(): RunnerStats
  close(): Promise<void>
}

export interface RunnerStats {
  readonly children: number
  /** Calls inside the children. */
  readonly running: number
  /** Calls that are queued for a place. */
  readonly queued: number
  /** Children that were lost. Planned replacements are not among them. */
  readonly restarts: number
  readonly replacements: number
  readonly lanes: Readonly<Record<Lane, LaneStats>>
  /** Workspaces whose calls run apart from those of others now. */
  readonly throttledWorkspaces: number
  /** Calls that computed too long beside others and started again apart from them. */
  readonly preemptions: number
  /** Calls that started again because their child was lost through another one. */
  readonly retries: number
}

export interface LaneStats {
  readonly queued: number
  readonly computing: number
  /** Calls that wait inside a child, mostly for a provider. */
  readonly waiting: number
  /** So far. */
  readonly started: number
  /** What the started ones waited in the queue, in milliseconds altogether. */
  readonly queuedMs: number
  /** Calls that were refused with `overloaded` so far. */
  readonly refused: number
}

export interface RunnerOptions {
  readonly egressGateway: EgressGateway
  /** Runner children. Default: between 2 and 4, by cores. */
  readonly children?: number
  /** Memory for calls that wait inside the children, in MiB. Default: an eighth of the memory of the machine. */
  readonly waitingMemoryMb?: number
  readonly limits?: Partial<Limits>
  /** How long a child may take to start before another one takes its place, in milliseconds. Default: 60,000. */
  readonly startTimeoutMs?: number
  /** Receives what an operator should know: crashes, refusals, whether bubblewrap works. Never secrets. */
  readonly log?: (
    level: 'debug' | 'info' | 'warn',
    message: string,
    detail?: Record<string, unknown>,
  ) => void
}
