import type { CallStep } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import type { Child } from './child.ts'

/** What a child tells its pool. */
export interface ChildEvents {
  ready(): void
  /** A call left the child. `isHarmful`: it held up the calls beside it, or took them down. */
  ended(call: Call, isHarmful: boolean): void
  /** A call that must not stay here was ended before it had sent anything but GET and HEAD. */
  preempted(call: Call): void
  /** A call computed for a while without a pause. */
  computed(call: Call, step: CallStep): void
  /** No call computes: there may be room for another one. */
  idle(child: Child): void
  /** The process is gone. The call that caused it has failed; `others` it only took down. */
  exited(child: Child, affectedCalls: readonly Call[]): void
  warn(message: string, detail: Record<string, unknown>): void
}
