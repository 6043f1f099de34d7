import type { Limits } from '../limits.ts'
import type { CallStep, ChildMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'

/** The calls inside one child: which one computes, and which one is overdue. */
export class ChildCalls {
  readonly #calls = new Map<number, TrackedCall>()
  readonly #byWorkspace = new Map<string, number>()
  /** Calls that ended since the child was last idle; their CPU time is reported then. */
  readonly #ended = new Map<number, Call>()
  readonly #onOverdue: (offendingCallId: number) => void
  /** The id of the call that computes; 0 if none does. */
  computingCallId = 0
  #computingSince = 0
  #idleAt = performance.now()

  /** `onOverdue` receives a call that does not end, or that keeps another one from ending. */
  constructor(onOverdue: (offendingCallId: number) => void) {
    this.#onOverdue = onOverdue
  }

  get size(): number {
    return this.#calls.size
  }

  get(id: number): TrackedCall | undefined {
    return this.#calls.get(id)
  }

  /** Number of calls of a workspace. */
  countOf(workspaceId: string): number {
    return this.#byWorkspace.get(workspaceId) ?? 0
  }

  has(call: Call): boolean {
    return this.#calls.has(call.id)
  }

  add(call: Call): void {
    // The child ends its calls itself. If it does not, it is stuck.
    const hardTimeout = setTimeout(
      () => this.#checkHardTimeout(call),
      call.limits.wallMs + HARD_TIMEOUT_GRACE_MS,
    )
    this.#calls.set(call.id, { call, hardTimeout, usage: { requests: 0, codeRequests: 0 } })
    this.#count(call, 1)
  }

  remove(call: Call): void {
    clearTimeout(this.#calls.get(call.id)?.hardTimeout)
    if (this.#calls.delete(call.id)) this.#count(call, -1)
    this.#ended.set(call.id, call)
  }

  #count({ tenant: { workspaceId } }: Call, change: 1 | -1): void {
    const count = this.countOf(workspaceId) + change
    if (count > 0) this.#byWorkspace.set(workspaceId, count)
    else this.#byWorkspace.delete(workspaceId)
  }

  markComputing(call: Call): void {
    this.computingCallId = call.id
    this.#computingSince = performance.now()
    call.hasStarted = true
    call.isComputing = true
  }

  /** No call computes. `computed` contains the CPU time of each call; the other calls get that time back. */
  markIdle(steps: readonly CallStep[], onComputed: (call: Call, step: CallStep) => void): void {
    this.computingCallId = 0
    for (const call of this) call.isComputing = false
    // A compromised child could blame a workspace whose call it runs for more time than has passed.
    const elapsedMs = performance.now() - this.#idleAt
    this.#idleAt += elapsedMs
    for (const { call: id, bytes, ...reported } of steps) {
      const call = this.#calls.get(id)?.call ?? this.#ended.get(id)
      const cpuMs = Math.min(reported.cpuMs, elapsedMs)
      const wallMs = Math.min(reported.wallMs, elapsedMs)
      if (call !== undefined) onComputed(call, { call: id, bytes, cpuMs, wallMs })
      for (const other of this) if (other !== call) other.extendWallTime(wallMs)
    }
    this.#ended.clear()
  }

  /** Calls that wait for the code of this bundle. */
  notStarted(sha256: string): Call[] {
    return [...this].filter((call) => call.bundle.sha256 === sha256 && !call.hasStarted)
  }

  *[Symbol.iterator](): Generator<Call> {
    for (const { call } of this.#calls.values()) yield call
  }

  #checkHardTimeout(call: Call): void {
    const tracked = this.#calls.get(call.id)
    if (tracked === undefined) return
    const remainingMs = call.remainingWallMs + HARD_TIMEOUT_GRACE_MS
    const isBlocked = this.computingCallId !== 0 && this.computingCallId !== call.id
    const computingMs = performance.now() - this.#computingSince
    // Another call is allowed to compute now, and this one cannot end meanwhile.
    if (remainingMs > 0 || (isBlocked && computingMs < MAX_STEP_MS)) {
      tracked.hardTimeout = setTimeout(
        () => this.#checkHardTimeout(call),
        Math.max(remainingMs, 500),
      )
    } else this.#onOverdue(isBlocked ? this.computingCallId : call.id)
  }
}

interface TrackedCall {
  readonly call: Call
  readonly usage: RequestUsage
  hardTimeout: NodeJS.Timeout
}

const HARD_TIMEOUT_GRACE_MS = 2_000
/** Longest uninterrupted computation: after that the child stops the call by force (`Meter.forcedStopAt`). */
const MAX_STEP_MS = 20_000

/** What a child has requested for one call. */
interface RequestUsage {
  requests: number
  codeRequests: number
}

/**
 * Returns how a message violates the limits of its call. A child enforces them itself, so a child that does not is
 * compromised.
 */
export function limitViolation(
  limits: Limits,
  usage: RequestUsage,
  message: ChildMessage,
): string | undefined {
  // Once, or again if an image would have been sent that does not fit the VM.
  if (message.type === 'code-request')
    return ++usage.codeRequests > 2 ? 'a code is requested too often' : undefined
  if (message.type === 'end') return findResultViolation(limits, message)
  if (message.type !== 'request') return undefined
  if (++usage.requests > limits.requests) return 'a call has too many requests'
  if (message.text.length > REQUEST_CHARS) return 'a request is too long'
  return (message.body?.byteLength ?? 0) > limits.requestBytes ? 'a body is too large' : undefined
}

/** The child measures in characters, too. */
function findResultViolation(limits: Limits, message: ChildMessage & { type: 'end' }) {
  const { outcome } = message
  const isTooLarge = outcome.ok && outcome.json.length > limits.resultBytes
  return isTooLarge ? 'a result is too large' : undefined
}

/** As in `../sandbox/pending-requests.ts`. */
const REQUEST_CHARS = 128 * 1024
