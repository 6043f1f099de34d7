import type { Limits } from '../limits.ts'
import type { ComputeStep, Outcome } from './messages.ts'

/** Runs bundles inside a runner child. A second engine would implement this interface. */
export interface Engine {
  /** Starts a call. Every call starts from the same clean state. */
  start(call: EngineCall, callbacks: HostCallbacks): RunningCall
}

/** One call, as seen by the engine. */
export interface EngineCall {
  /** Identifies the code: equal names mean equal code. */
  readonly sha256: string
  readonly command: string
  /** The parameters as JSON. */
  readonly params: string
  readonly limits: Limits
  /** CPU time in milliseconds after which the call is preempted, unless it has sent more than GET and HEAD. */
  readonly sliceMs?: number | undefined
  /**
   * Loads the code, if the engine has cached neither it nor an image of it. With `acceptsImage`, the engine may receive
   * an image instead: then it returns undefined.
   */
  loadCode(acceptsImage: boolean): Promise<string | undefined>
}

/** Calls from a guest to the host. */
export interface HostCallbacks {
  /** Sends a request; it ends with `RunningCall.respond` or `RunningCall.failRequest`. */
  request(id: number, text: string, body: Uint8Array | undefined): void
  abort(id: number): void
  /** Called each time before the guest computes. */
  onComputeStart(): void
  /** Called each time after the guest has computed. */
  onComputeEnd(step: ComputeStep): void
}

/** A running call. */
export interface RunningCall {
  /** Never rejects. */
  readonly finished: Promise<FinishedCall>
  /** Ends a request with a response. `head` is JSON `{status, statusText, rawHeaders}`. */
  respond(id: number, head: string, body: Uint8Array): void
  /** Ends a request with an error. `error` is JSON `{code, message}`. */
  failRequest(id: number, error: string): void
  /** Adds time for which another call computed: it does not count. */
  extendWallTime(ms: number): void
  /** Ends the call: its result is no longer needed. */
  cancel(): void
}

export interface FinishedCall {
  readonly outcome: Outcome
  readonly logs: number
  /** The guest read no clock and no random bytes, and used no timer and no request: only its parameters count. */
  readonly isDeterministic: boolean
}
