import type { CallStep } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import type { Asked } from './excess.ts'

/** The calls inside one child: which one computes, and which one has not ended although it had to. */
export class CallsInside {
  readonly #calls = new Map<number, Inside>()
  readonly #byWorkspace = new Map<string, number>()
  /** Calls that ended since the last rest, which tells what they computed. */
  readonly #ended = new Map<number, Call>()
  readonly #overdue: (culprit: number) => void
  /** The call that computes; 0 when none does. */
  entered = 0
  #enteredAt = 0

  /** `overdue` receives the call that does not end, or that keeps another one from ending. */
  constructor(overdue: (culprit: number) => void) {
    this.#overdue = overdue
  }

  get size(): number {
    return this.#calls.size
  }

  get(id: number): Inside | undefined {
    return this.#calls.get(id)
  }

  /** Calls of a workspace. */
  countOf(workspaceId: string): number {
    return this.#byWorkspace.get(workspaceId) ?? 0
  }

  has(call: Call): boolean {
    return this.#calls.has(call.id)
  }

  add(call: Call): void {
    // The child ends its calls by itself. One that it does not end shows that it is stuck.
    const hardStop = setTimeout(() => this.#overrun(call), call.limits.wallMs + HARD_STOP_MS)
    this.#calls.set(call.id, { call, hardStop, asked: { requests: 0, needs: 0 } })
    this.#count(call, 1)
  }

  remove(call: Call): void {
    clearTimeout(this.#calls.get(call.id)?.hardStop)
    if (this.#calls.delete(call.id)) this.#count(call, -1)
    this.#ended.set(call.id, call)
  }

  #count({ tenant: { workspaceId } }: Call, change: 1 | -1): void {
    const count = this.countOf(workspaceId) + change
    if (count > 0) this.#byWorkspace.set(workspaceId, count)
    else this.#byWorkspace.delete(workspaceId)
  }

  enter(call: Call): void {
    this.entered = call.id
    this.#enteredAt = performance.now()
    call.hasStarted = true
    call.isComputing = true
  }

  /** No call computes. `computed` receives what each of them has; the others get that time back. */
  rest(steps: readonly CallStep[], computed: (call: Call, step: CallStep) => void): void {
    this.entered = 0
    for (const call of this) call.isComputing = false
    for (const step of steps) {
      const call = this.#calls.get(step.call)?.call ?? this.#ended.get(step.call)
      if (call !== undefined) computed(call, step)
      for (const other of this) if (other !== call) other.extend(step.wallMs)
    }
    this.#ended.clear()
  }

  /** Those that wait for the code of this bundle. */
  unstarted(sha256: string): Call[] {
    return [...this].filter((call) => call.bundle.sha256 === sha256 && !call.hasStarted)
  }

  *[Symbol.iterator](): Generator<Call> {
    for (const { call } of this.#calls.values()) yield call
  }

  #overrun(call: Call): void {
    const inside = this.#calls.get(call.id)
    if (inside === undefined) return
    const left = call.wallLeft + HARD_STOP_MS
    const isHeldUp = this.entered !== 0 && this.entered !== call.id
    const since = performance.now() - this.#enteredAt
    // While another one computes, as it may, this one cannot end.
    if (left > 0 || (isHeldUp && since < LONGEST_STEP_MS)) {
      inside.hardStop = setTimeout(() => this.#overrun(call), Math.max(left, 500))
    } else this.#overdue(isHeldUp ? this.entered : call.id)
  }
}

interface Inside {
  readonly call: Call
  readonly asked: Asked
  hardStop: NodeJS.Timeout
}

const HARD_STOP_MS = 2_000
/** No call computes longer at a stretch: the child stops it by force (`Meter.forceAfterMs`). */
const LONGEST_STEP_MS = 20_000
