import type { Limits } from '../limits.ts'
import { RunnerError } from '../runner-error.ts'
import type { BundleAnswer, BundleCall, LastExchange } from '../runner-types.ts'
import type { Outcome } from '../sandbox/messages.ts'
import { failure } from './failure.ts'
import { parseAnswer } from './parse-answer.ts'

/** One call on the service's side, from the waiting line to its answer. */
export class Call {
  readonly id: number
  readonly bundle: BundleCall['bundle']
  readonly command: string
  readonly params: string
  readonly hosts: readonly string[] | undefined
  readonly limits: Limits
  readonly answer: Promise<BundleAnswer>
  /** Ends the requests of this attempt. */
  abort = new AbortController()
  attempts = 0
  startedAt = 0
  requests = 0
  lastExchange: LastExchange = 'none'
  /** Something other than GET or HEAD left the gate: it must not be sent twice. */
  hasSideEffects = false
  readonly #config: unknown
  #resolve: (answer: BundleAnswer) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  /** @throws TypeError when the params are not JSON */
  constructor(id: number, call: BundleCall, limits: Limits) {
    this.id = id
    this.bundle = call.bundle
    this.command = call.command
    this.params = JSON.stringify(call.params)
    this.hosts = call.hosts
    this.limits = limits
    this.#config = call.params.config
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** What is left of the wall time of this attempt, in milliseconds. */
  get wallLeft(): number {
    return this.startedAt + this.limits.wallMs - performance.now()
  }

  /** A child starts on it. */
  begin(): void {
    this.abort = new AbortController()
    this.attempts++
    this.startedAt = performance.now()
    this.requests = 0
    this.lastExchange = 'none'
  }

  /** It ended inside the jail. */
  end(outcome: Outcome): void {
    this.abort.abort()
    const { lastExchange } = this
    const parsed = outcome.ok ? parseAnswer(outcome.json) : undefined
    if (parsed !== undefined) this.#resolve({ value: parsed.value, lastExchange })
    else if (outcome.ok) this.#reject(failure('output', 'nested too deeply', {}, lastExchange))
    else this.#reject(failure(outcome.reason, outcome.message, this.#config, lastExchange))
  }

  /** It ends without the jail's say. */
  fail(error: unknown): void {
    this.abort.abort()
    this.#reject(error)
  }

  /** The child that it ran in is gone, through its own fault or not. */
  crashed(): void {
    this.fail(new RunnerError('integration_failed', CRASHED, this.lastExchange))
  }
}

const CRASHED = 'The integration failed: its runner was lost.'
