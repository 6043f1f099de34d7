import type { EgressGateway, EgressRequest, EgressResponse, Tenant } from './egress/egress.ts'
import type { BundleImageStore } from './images/image-store.ts'
import type { Limits } from './limits.ts'
import type { Command } from './protocol.ts'

import type { GuardedSecret } from './tokens/searchable-request.ts'
import type { TokenObserver } from './tokens/token-observer.ts'

/** A stored bundle. `load` is called when a runner child has not cached the code: about once per child. */
export interface Bundle {
  /** SHA-256 of the code, in lower-case hexadecimal. */
  readonly sha256: string
  load(): Promise<string>
}

/** An integration that is data. Our own code runs its commands, in this process instead of the sandbox. */
export interface DeclaredIntegration {
  /** As the main function of its bundle. Every step in it takes linear time, and it has no other access than `deps`. */
  run(
    command: Command,
    params: Readonly<Record<string, unknown>>,
    deps: DeclaredDeps,
  ): Promise<unknown>
}

/** What an integration that is data has access to. */
export interface DeclaredDeps {
  /** Sends a request of the call, within its limits. */
  readonly fetch: typeof globalThis.fetch
  /** A clock in milliseconds. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** One call of a bundle. */
export interface BundleCall {
  readonly bundle: Bundle
  readonly tenant: Tenant
  readonly command: Command
  readonly params: Readonly<Record<string, unknown>>
  /** Hosts the bundle may send requests to (`x-hosts` of its spec). */
  readonly hosts?: readonly string[] | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Observes the token requests of this call. */
  readonly tokens?: TokenObserver | undefined
  /** A request that contains this secret is sent only to hosts that are allowed for the secret. */
  readonly secret?: GuardedSecret | undefined
  /** Default: `credentials` for HEADERS, `checks` for everything else. */
  readonly lane?: Lane | undefined
  /** Receives each request that was sent, when it has ended. Both contain credentials. Must not throw. */
  readonly onExchange?: ((exchange: CallExchange) => void) | undefined
}

/** A request of a call, and its response; undefined if there was none. */
export interface CallExchange {
  readonly request: EgressRequest
  readonly response: EgressResponse | undefined
}

/** Calls that a user's request to a provider waits for have separate slots. */
export type Lane = 'credentials' | 'checks'

/** How the last request of a call ended; `none` if there was no request. */
export type LastExchange =
  | 'none'
  | 'answered'
  | 'egress_unavailable'
  | 'refused'
  | 'timeout'
  | 'rate_limited'
  | 'server_error'

/** The result of a call: plain JSON data, parsed in the host. */
export interface BundleResult {
  readonly value: unknown
  readonly lastExchange: LastExchange
  /** The HTTP status of the last response; undefined if the last request got none, or there was no request. */
  readonly lastStatus: number | undefined
  /** The provider's id of that request, from the headers of its response; undefined if it sent none. */
  readonly lastRequestId: string | undefined
  /**
   * The bundle read no clock and no random bytes, and used no timer and no request: with the same parameters, its
   * result will be the same.
   */
  readonly isDeterministic: boolean
}

/**
 * Why a call failed. `bundle_invalid`: the code does not load or exports no function. `integration_failed`: it threw,
 * exited or crashed. `integration_timeout`: out of CPU or wall time. `integration_limit`: out of memory or another
 * limit. `integration_bad_output`: the result is not JSON. `overloaded`: the wait for a slot would be too long, or
 * another call crashed the child and this one must not be sent twice; `retryAfterMs` says when to retry.
 */
export type RunnerErrorCode =
  | 'bundle_invalid'
  | 'integration_failed'
  | 'integration_timeout'
  | 'integration_limit'
  | 'integration_bad_output'
  | 'overloaded'

/** A `pattern` of a spec to validate. Without a value only its syntax is checked. */
export interface PatternTest {
  readonly pattern: string
  readonly value?: string
}

/** `invalid`: not a regular expression. */
export type PatternResult = 'match' | 'no_match' | 'invalid'

/** Runs untrusted bundles, each call from the same clean state, and integrations that are data. */
export interface Runner {
  /**
   * Runs one command. From the result of CHECK, only the keys of `CheckResult` are returned; their texts are truncated
   * to 2,000 characters and scrubbed of the values of `params.config`, or omitted if there are too many of those. Other
   * results are returned unchanged.
   *
   * @throws RunnerError; its message is safe to show: secrets of `params.config` are removed. Also throws the error of
   * `load`
   */
  run(call: BundleCall): Promise<BundleResult>
  /** Validates patterns of specs inside the sandbox, so that a slow one cannot block the service. @throws RunnerError */
  testPatterns(tests: readonly PatternTest[], tenant: Tenant): Promise<PatternResult[]>
  /** Resolves when a child is ready. */
  ready(): Promise<void>
  /** Counters for metrics. */
  stats(): RunnerStats
  close(): Promise<void>
}

export interface RunnerStats {
  readonly children: number
  /** Calls inside the children. */
  readonly running: number
  /** Calls that are queued for a slot. */
  readonly queued: number
  /** Children that were lost, without planned replacements. */
  readonly restarts: number
  readonly replacements: number
  /** Whether children run inside bubblewrap with a seccomp filter; false until the first has started. */
  readonly isConfined: boolean
  readonly lanes: Readonly<Record<Lane, LaneStats>>
  /** Workspaces whose calls currently run isolated. */
  readonly throttledWorkspaces: number
  /** Calls that computed too long in a shared child and were restarted isolated. */
  readonly preemptions: number
  /** Calls that were restarted because another call crashed their child. */
  readonly retries: number
}

export interface LaneStats {
  readonly queued: number
  readonly computing: number
  /** Calls that wait inside a child, mostly for a provider. */
  readonly waiting: number
  /** Since the start. */
  readonly started: number
  /** Total time that started calls waited in the queue, in milliseconds. */
  readonly queuedMs: number
  /** Calls rejected with `overloaded` since the start. */
  readonly refused: number
}

/** As of nice(1): 0 is the priority of the service, 19 the lowest. */
export interface Niceness {
  readonly shared: number
  readonly isolated: number
}

export type FindDeclared = (
  bundle: Bundle,
) => DeclaredIntegration | undefined | Promise<DeclaredIntegration | undefined>

export interface RunnerOptions {
  readonly egressGateway: EgressGateway
  /** The integration that a bundle is, if it is data. Never rejects. Default: every bundle runs in the sandbox. */
  readonly findDeclared?: FindDeclared | undefined
  /** Runner children, all from the start. Default: one from the first call that needs it, and while calls queue between 2 and 4, by cores. */
  readonly children?: number
  /** Memory for calls that wait inside the children, in MiB. Default: an eighth of the machine's memory. */
  readonly waitingMemoryMb?: number
  readonly limits?: Partial<Limits>
  /** How long a child may take to start before it is replaced, in milliseconds. Default: 60,000. */
  readonly startTimeoutMs?: number
  /** How long a call may be queued before it is rejected with `overloaded`, in milliseconds. Default: 15,000. */
  readonly maxQueuedMs?: number | undefined
  /** Priority of the shared children and of the one for isolated calls. Default: 3 and 19. */
  readonly niceness?: Niceness
  /** Stores images of bundles, so that children need not compile them. Absent: there are none. */
  readonly images?: BundleImageStore | undefined
  /** Receives log lines for the operator: crashes, rejections, whether bubblewrap works. Never secrets. */
  readonly log?: (
    level: 'debug' | 'info' | 'warn',
    message: string,
    detail?: Record<string, unknown>,
  ) => void
}

/** A failed call. `message` is one sentence, free of secrets and at most about 600 characters long. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: RunnerErrorCode
  /** How the last request of the call ended. */
  readonly lastExchange: LastExchange
  /** The HTTP status of the last response; undefined if the last request got none, or there was no request. */
  readonly lastStatus: number | undefined
  /** The provider's id of that request; undefined if it sent none. */
  readonly lastRequestId: string | undefined

  /** When to retry, in milliseconds; only with `overloaded`. */
  readonly retryAfterMs: number | undefined

  /** Whether the bundle is the cause. A busy machine also lets time run out and processes crash. */
  readonly isConclusive: boolean

  constructor(
    code: RunnerErrorCode,
    message: string,
    lastExchange: LastExchange = 'none',
    lastStatus?: number,
    retryAfterMs?: number,
    lastRequestId?: string,
    isConclusive = true,
  ) {
    super(message)
    this.code = code
    this.lastExchange = lastExchange
    this.lastStatus = lastStatus
    this.retryAfterMs = retryAfterMs
    this.lastRequestId = lastRequestId
    this.isConclusive = isConclusive
  }
}
