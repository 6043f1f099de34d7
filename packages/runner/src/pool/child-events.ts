import type { CallStep } from '../sandbox/messages.ts'
import type { Call } from './call.ts'

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
  idle(): void
  /** The process exited. The call that caused it has failed; `others` are the calls it interrupted. */
  exited(affectedCalls: readonly Call[]): void
  warn(message: string, detail: Record<string, unknown>): void
}

/** Events of all children, for the pool. */
export type FleetEvents = Omit<ChildEvents, 'warn'>

/** How a child is used. */
export interface ChildOptions {
  /** The timeout for its start. */
  readonly startTimeoutMs: number
  /** Reserved for calls that must not share a child with other workspaces. */
  readonly isIsolated: boolean
}
