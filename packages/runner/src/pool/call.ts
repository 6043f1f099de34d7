import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tenant } from '../egress/egress.ts'
import { getHeader } from '../egress/headers.ts'
import type { Limits } from '../limits.ts'
import type { Command } from '../protocol.ts'
import { createScrubber, redactSecrets } from '../redact-secrets.ts'
import {
  type BundleCall,
  type BundleResult,
  type DeclaredIntegration,
  type Lane,
  type LastExchange,
  RunnerError,
  type RunnerErrorCode,
} from '../runner.ts'
import type { EndMessage, FailureReason, HostMessage } from '../sandbox/messages.ts'
import type { GuardedSecret } from '../tokens/searchable-request.ts'
import type { TokenObserver } from '../tokens/token-observer.ts'

/** One call on the service's side, from the queue to its result. */
export class Call {
  readonly id: number
  readonly bundle: BundleCall['bundle']
  readonly tenant: Tenant
  readonly lane: Lane
  readonly queuedAt = performance.now()
  /** Runs it in this process, unless it turns out to need the sandbox. */
  declared: DeclaredIntegration | undefined = undefined
  /** Must not share a child with calls of other workspaces. */
  isIsolated = false
  /** Slots that the call holds, by its memory. */
  slotCount = 1
  readonly command: Command
  readonly params: string
  readonly hosts: readonly string[] | undefined
  readonly tokens: TokenObserver | undefined
  readonly secret: GuardedSecret | undefined
  readonly onExchange: BundleCall['onExchange']
  readonly limits: Limits
  readonly result: Promise<BundleResult>
  /** Runs what a message of the child causes in the async context of the caller, which the message does not have. */
  readonly runAsCaller = AsyncLocalStorage.snapshot()
  /** Aborts the requests of this attempt. */
  abortController = new AbortController()
  attempts = 0
  startedAt = 0
  #extendedMs = 0
  requests = 0
  #inFlight = 0
  #requestSlotWaiters: (() => void)[] = []
  lastExchange: LastExchange = 'none'
  lastStatus: number | undefined = undefined
  #lastRequestId: string | undefined = undefined
  /** The child had the code and the call has computed. */
  hasStarted = false
  isComputing = false
  /** The result or the error was delivered. */
  isSettled = false
  /** A request other than GET or HEAD was sent: the call must not be retried. */
  hasSideEffects = false
  /** The configuration in its params: what it returns and records may contain none of its values. */
  readonly config: unknown
  #resolve: (bundleResult: BundleResult) => void = () => {}
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
    this.onExchange = call.onExchange
    this.limits = limits
    this.config = omitAuthType(call.params.config)
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Remaining wall time of this attempt, in milliseconds. */
  get remainingWallMs(): number {
    return this.startedAt + this.limits.wallMs + this.#extendedMs - performance.now()
  }

  /** Adds time for which another call blocked this one, at most its wall time again. */
  extendWallTime(ms: number): void {
    this.#extendedMs = Math.min(this.#extendedMs + ms, this.limits.wallMs)
  }

  /** Resolves when another request may be sent. */
  acquireRequestSlot(): Promise<void> {
    this.#inFlight++
    if (this.#inFlight <= MAX_CONCURRENT_REQUESTS) return Promise.resolve()
    return new Promise((resolve) => this.#requestSlotWaiters.push(resolve))
  }

  releaseRequestSlot(): void {
    this.#inFlight--
    this.#requestSlotWaiters.shift()?.()
  }

  /** The message that starts this call in a child. `sliceMs`: the CPU time after which it is preempted. */
  toRunMessage(sliceMs: number | undefined): HostMessage {
    const { id, command, params, limits, bundle } = this
    return { type: 'run', call: id, sha256: bundle.sha256, command, params, limits, sliceMs }
  }

  /** A child starts an attempt. */
  startAttempt(): void {
    this.abortController = new AbortController()
    this.attempts++
    this.startedAt = performance.now()
    this.requests = 0
    this.#extendedMs = 0
    this.hasStarted = false
    this.recordExchange('none')
  }

  /** Records the result of the last request, and of its response, if there is one, the `status` and the provider's id. */
  recordExchange(exchange: LastExchange, status?: number, requestId?: string): void {
    this.lastExchange = exchange
    this.lastStatus = status
    this.#lastRequestId = requestId
  }

  /** The call ended inside the sandbox. */
  finish({ outcome, isDeterministic }: Pick<EndMessage, 'outcome' | 'isDeterministic'>): void {
    this.isSettled = true
    this.abortController.abort(CALL_ENDED)
    if (!outcome.ok && outcome.reason === 'wall' && this.#inFlight > 0)
      this.recordExchange('timeout')
    const { lastExchange, lastStatus } = this
    const lastRequest = {
      lastExchange,
      lastStatus,
      lastRequestId: omitSecret(this.#lastRequestId, this.config),
    }
    const parsed = outcome.ok ? parseBundleResult(outcome.json) : undefined
    if (parsed !== undefined)
      this.#resolve({
        value:
          this.command === 'CHECK' ? scrubCheckResult(parsed.value, this.config) : parsed.value,
        ...lastRequest,
        isDeterministic: isDeterministic && this.requests === 0,
      })
    else if (outcome.ok) this.#reject(createRunnerError('output', TOO_COMPLEX, {}, lastRequest))
    else this.#reject(createRunnerError(outcome.reason, outcome.message, this.config, lastRequest))
  }

  /** Fails the call from outside the sandbox. */
  fail(error: unknown): void {
    this.isSettled = true
    this.abortController.abort(CALL_ENDED)
    this.#reject(error)
  }

  /** The call has to be retried later, for reasons outside the call. */
  rejectOverloaded(message: string, retryAfterMs: number): void {
    const { lastExchange, lastStatus } = this
    this.fail(new RunnerError('overloaded', message, lastExchange, lastStatus, retryAfterMs))
  }

  /** The call crashed the child that it ran in. */
  failCrashed(): void {
    const { lastExchange, lastStatus } = this
    const details = [lastExchange, lastStatus, undefined, undefined, false] as const
    this.fail(new RunnerError('integration_failed', CRASHED, ...details))
  }

  failTimedOut(): void {
    this.finish({ outcome: { ok: false, reason: 'wall', message: '' }, isDeterministic: false })
  }
}

/** Why a request is aborted that a call leaves behind. Created once: an error with a stack is slow to create. */
const CALL_ENDED = new Error('The call has ended.')

/** Concurrent requests of one call. */
const MAX_CONCURRENT_REQUESTS = 6

const TOO_COMPLEX = 'it is nested deeper than 100 levels or has more than 50,000 values'
const CRASHED = 'The integration crashed its runner process.'

/** `authType` names an authentication method that people should see: it is not a secret of the configuration. */
function omitAuthType(config: unknown): unknown {
  if (!isRecord(config)) return config
  const { authType: _name, ...values } = config
  return values
}

type LastRequest = Pick<BundleResult, 'lastExchange' | 'lastStatus' | 'lastRequestId'>

/**
 * Creates the error for a call that failed inside the sandbox. The bundle's message is scrubbed of the call's config and
 * truncated, or omitted if the config has too many values to search for.
 */
function createRunnerError(
  reason: FailureReason,
  bundleMessage: string,
  config: unknown,
  { lastExchange, lastStatus, lastRequestId }: LastRequest,
): RunnerError {
  const [code, sentence] = FAILURES[reason]
  const detail =
    (REASONS_WITH_MESSAGE.has(reason) &&
      redactSecrets(bundleMessage, config)?.slice(0, MAX_MESSAGE_LENGTH)) ||
    ''
  const message = detail === '' ? `${sentence}.` : `${sentence}: ${detail}`
  const isConclusive = reason !== 'wall' && reason !== 'cancelled'
  return new RunnerError(
    code,
    message,
    lastExchange,
    lastStatus,
    undefined,
    lastRequestId,
    isConclusive,
  )
}

const MAX_MESSAGE_LENGTH = 500

/** Reasons whose error includes the bundle's message. */
const REASONS_WITH_MESSAGE: ReadonlySet<FailureReason> = new Set(['load', 'threw', 'output'])

const FAILURES: Readonly<Record<FailureReason, readonly [RunnerErrorCode, string]>> = {
  load: ['bundle_invalid', 'The bundle cannot be loaded'],
  threw: ['integration_failed', 'The integration failed'],
  exit: ['integration_failed', 'The integration exited its process'],
  cpu: ['integration_timeout', 'The integration exceeded its CPU time'],
  slice: ['integration_timeout', 'The integration exceeded its CPU time'],
  cancelled: ['overloaded', 'The call was cancelled because too many others are waiting'],
  wall: ['integration_timeout', 'The integration timed out'],
  stuck: [
    'integration_timeout',
    'The integration never returns: it waits for nothing that can happen',
  ],
  memory: ['integration_limit', 'The integration exceeded its memory limit'],
  depth: ['integration_limit', 'The integration exceeded its recursion limit'],
  size: ['integration_limit', 'The result of the integration is too large'],
  output: ['integration_bad_output', 'The result of the integration is not JSON'],
}

/** The known keys of a result of CHECK, without secrets of the configuration: people see it. */
function scrubCheckResult(value: unknown, config: unknown): unknown {
  if (!isRecord(value)) return value
  const scrub = createScrubber(config)
  const entries = CHECK_RESULT_KEYS.filter((key) => Object.hasOwn(value, key)).map((key) => {
    const each = value[key]
    return [key, typeof each === 'string' ? scrub(each) : each] as const
  })
  return Object.fromEntries(
    entries.filter(([, each]) => each !== undefined && (each === null || typeof each !== 'object')),
  )
}

/** The keys of a `CheckResult`. All other keys are dropped. */
const CHECK_RESULT_KEYS: readonly string[] = [
  'status',
  'error',
  'code',
  'field',
  'hint',
  'retryable',
]

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The provider's id of a request, from the headers of its response: the support of most providers asks for it. Undefined if there
 * is none, or if it is no id: a text that a provider chooses must not reach a log or a list.
 */
export function findRequestId(rawHeaders: readonly string[]): string | undefined {
  for (const name of HEADERS) {
    const value = getHeader(rawHeaders, name)
    if (value !== undefined) return ID.test(value) ? value : undefined
  }
  return undefined
}

/** Those of the providers in the catalogue, the most common ones first. */
const HEADERS = [
  ...['x-request-id', 'request-id', 'x-correlation-id', 'x-hubspot-correlation-id'],
  ...['x-github-request-id', 'x-slack-req-id', 'x-amzn-requestid', 'x-ms-request-id'],
  ...['twilio-request-id', 'x-zendesk-request-id', 'cf-ray'],
]
const ID = /^[\w.:=+/-]{1,128}$/

/** The id, unless it contains a value of the config, in any encoding: a provider that repeats what it was sent has sent no id. */
function omitSecret(id: string | undefined, config: unknown): string | undefined {
  return id !== undefined && createScrubber(config)(id) === id ? id : undefined
}

/**
 * Parses the JSON that a bundle returned. Keys named `__proto__` are dropped and lone surrogates replaced, so the value
 * can be merged, stored and sent by code that handles neither.
 *
 * The time is linear in the length of the text: its shape is measured before it is parsed.
 *
 * @returns undefined when it is not JSON, nested deeper than 100 levels, or has more than 50,000 values
 */
export function parseBundleResult(json: string): { readonly value: unknown } | undefined {
  if (!hasAllowedShape(json)) return undefined
  try {
    const parsed: unknown = JSON.parse(json)
    return { value: needsCleaning(json) ? clean(parsed) : parsed }
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 100
const MAX_VALUES = 50_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Counts brackets and commas outside strings: whether JSON takes little time to parse. The parser checks whether they match. */
export function hasAllowedShape(json: string): boolean {
  let depth = 0
  let values = 1
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) isInString = !isInString
    else if (isInString) {
      if (unit === BACKSLASH) at++
    } else if (unit === COMMA) values++
    else if (OPENING.has(unit)) {
      depth++
      values++
    } else if (CLOSING.has(unit)) depth--
    if (depth > MAX_DEPTH || values > MAX_VALUES) return false
  }
  return true
}

/** Returns false only if the value certainly has neither a lone surrogate nor a key named `__proto__`. */
function needsCleaning(json: string): boolean {
  return json.includes('__proto__') || json.includes('\\u') || !json.isWellFormed()
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => clean(item))
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), clean(item)]))
}
