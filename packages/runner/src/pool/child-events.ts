import type { RunnerOptions } from '../runner-types.ts'
import type { CallStep } from '../sandbox/messages.ts'
import type { BundleImages } from './bundle-images.ts'
import type { Call } from './call.ts'
import type { HostSlots } from './host-slots.ts'
import type { RelayDeps } from './relay.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/** Events of a child, for its pool. */
export interface ChildEvents {
  onReady(): void
  /** A call left the child. `isHarmful`: it blocked or crashed the calls beside it. */
  onCallEnded(call: Call, isHarmful: boolean): void
  /** A call that computed too long was stopped. It had sent nothing but GET and HEAD. */
  onPreempted(call: Call): void
  /** A call computed without a pause. */
  onComputed(call: Call, step: CallStep): void
  /** No call computes: the child may have capacity for another one. */
  onIdle(): void
  /** The process exited. The call that caused it has failed; `others` are the calls it interrupted. */
  onExit(affectedCalls: readonly Call[]): void
  onWarning(message: string, detail: Record<string, unknown>): void
}

/** Events of all children, for the pool. */
export type SupervisorEvents = Omit<ChildEvents, 'onWarning'>

/** What all children share. */
export interface ChildDeps extends RelayDeps {
  readonly images: BundleImages
}

/** How a child is used. */
export interface ChildOptions {
  /** The timeout for its start. */
  readonly startTimeoutMs: number
  /** Reserved for calls that must not share a child with other workspaces. */
  readonly isIsolated: boolean
}

/** What the supervisor of the children depends on. */
export interface SupervisorDeps {
  /** Number of children that all workspaces share. */
  readonly size: number
  readonly options: RunnerOptions
  readonly files: SandboxFiles
  readonly hostSlots: HostSlots
}
