import type { CallStep } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import type { Child } from './child.ts'

/** Events of a child, for its pool. */
export interface ChildEvents {
  ready(): void
  /** A call left the child. `isHarmful`: it blocked or crashed the calls beside it. */
  ended(call: Call, isHarmful: boolean): void
  /** A call that computed too long was stopped. It had sent nothing but GET and HEAD. */
  preempted(call: Call): void
  /** A call computed without a pause. */
  computed(call: Call, step: CallStep): void
  /** No call computes: the child may have capacity for another one. */
  idle(child: Child): void
  /** The process exited. The call that caused it has failed; `others` are the calls it interrupted. */
  exited(child: Child, affectedCalls: readonly Call[]): void
  warn(message: string, detail: Record<string, unknown>): void
}
