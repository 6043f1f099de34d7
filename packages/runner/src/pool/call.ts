import type { Limits } from '../limits.ts'
import { RunnerError } from '../runner-error.ts'
import type { BundleAnswer, BundleCall, Lane, LastExchange } from '../runner-types.ts'
import type { Outcome } from '../sandbox/messages.ts'
import { createScrubber } from '../scrub.ts'
import type { Tenant } from '../tenant.ts'
import type { GuardedSecret } from '../tokens/guarded-secret.ts'
import type { TokenObserver } from '../tokens/token-observer.ts'
import { failure } from './failure.ts'
import { parseAnswer } from './parse-answer.ts'

/** One call on the service's side, from the waiting line to its answer. */
export class Call {
  readonly id: number
  readonly bundle: BundleCall['bundle']
  readonly tenant: Tenant
  readonly lane: Lane
  readonly queuedAt = performance.now()
  /** Runs apart from calls of other workspaces. */
  isIsolated = false
  /** What it holds of the memory for calls. */
  places = 1
  readonly command: string
  readonly params: string
  readonly hosts: readonly string[] | undefined
  readonly tokens: TokenObserver | undefined
  readonly secret: GuardedSecret | undefined
  readonly limits: Limits
  readonly answer: Promise<BundleAnswer>
  /** Ends the requests of this attempt. */
  abort = new AbortController()
  attempts = 0
  startedAt = 0
  #extendedMs = 0
  requests = 0
  #inFlight = 0
  #waitingForLane: (() => void)[] = []
  lastExchange: LastExchange = 'none'
  lastStatus: number | undefined = undefined
  /** The child had its code and has computed. */
  hasStarted = false
  isComputing = false
  /** It has its answer, or its error. */
  isSettled = false
  /** Something other than GET or HEAD left the gate: it must not be sent twice. */
  hasSideEffects = false
  readonly #config: unknown
  #resolve: (answer: BundleAnswer) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  /** @throws TypeError when the params are not JSON */
  constructor(id: number, call: BundleCall, limits: Limits) {
    this.id = id
    this.lane = call.lane ?? (call.command === 'HEADERS' ? 'credentials' : 'checks')
    this.bundle = call.bundle
    this.tenant = call.tenant
    this.command = call.command
    this.params = JSON.stringify(call.params)
    this.hosts = call.hosts
    this.tokens = call.tokens
    this.secret = call.secret
    this.limits = limits
    this.#config = givenConfig(call.params.config)
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** What is left of the wall time of this attempt, in milliseconds. */
  get wallLeft(): number {
    return this.startedAt + this.limits.wallMs + this.#extendedMs - performance.now()
  }

  /** Another call held up this one for so long: that is not its time. At most as much as its wall time again. */
  extend(ms: number): void {
    this.#extendedMs = Math.min(this.#extendedMs + ms, this.limits.wallMs)
  }

  /** Resolves when one more request may go out. */
  takeLane(): Promise<void> {
    this.#inFlight++
    if (this.#inFlight <= LANES) return Promise.resolve()
    return new Promise((resolve) => this.#waitingForLane.push(resolve))
  }

  freeLane(): void {
    this.#inFlight--
    this.#waitingForLane.shift()?.()
  }

  /** A child starts on it. */
  begin(): void {
    this.abort = new AbortController()
    this.attempts++
    this.startedAt = performance.now()
    this.requests = 0
    this.#extendedMs = 0
    this.hasStarted = false
    this.noteExchange('none')
  }

  /** How the last request went; `status` of its answer when it got one. */
  noteExchange(exchange: LastExchange, status?: number): void {
    this.lastExchange = exchange
    this.lastStatus = status
  }

  /** It ended inside the jail. */
  end(outcome: Outcome): void {
    this.isSettled = true
    this.abort.abort()
    if (!outcome.ok && outcome.reason === 'wall' && this.#inFlight > 0) this.noteExchange('timeout')
    const { lastExchange, lastStatus } = this
    const last = { lastExchange, lastStatus }
    const parsed = outcome.ok ? parseAnswer(outcome.json) : undefined
    if (parsed !== undefined) this.#resolve({ value: this.#cleared(parsed.value), ...last })
    else if (outcome.ok) this.#reject(failure('output', SHAPE, {}, last))
    else this.#reject(failure(outcome.reason, outcome.message, this.#config, last))
  }

  // What a CHECK says is shown to people; what the other commands answer is data, credentials included.
  #cleared(value: unknown): unknown {
    if (this.command !== 'CHECK' || !isRecord(value)) return value
    const scrub = createScrubber(this.#config)
    const entries = VERDICT_KEYS.filter((key) => Object.hasOwn(value, key)).map((key) => {
      const each = value[key]
      return [key, typeof each === 'string' ? scrub(each) : each] as const
    })
    return Object.fromEntries(
      entries.filter(
        ([, each]) => each !== undefined && (each === null || typeof each !== 'object'),
      ),
    )
  }

  /** It ends without the jail's say. */
  fail(error: unknown): void {
    this.isSettled = true
    this.abort.abort()
    this.#reject(error)
  }

  /** It has to be tried again later, through no fault of its own. */
  refuse(message: string, retryAfterMs: number): void {
    const { lastExchange, lastStatus } = this
    this.fail(new RunnerError('overloaded', message, lastExchange, lastStatus, retryAfterMs))
  }

  /** The child that it ran in is gone, through its fault. */
  crashed(): void {
    this.fail(new RunnerError('integration_failed', CRASHED, this.lastExchange, this.lastStatus))
  }
}

/** Requests of one call at the same time. */
const LANES = 6

/** What a verdict may say (`CheckResult`). Everything else in it is dropped. */
const VERDICT_KEYS: readonly string[] = ['status', 'error', 'code', 'field', 'hint', 'retryable']

const SHAPE = 'it is nested deeper than 100 levels or has more than 50,000 values'
const CRASHED = 'The integration failed: its runner was lost.'

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `authType` names a way to sign in, and people should read it: it is no value of the configuration. */
function givenConfig(config: unknown): unknown {
  if (!isRecord(config)) return config
  const { authType: _name, ...given } = config
  return given
}
