import type { Limits } from '../limits.ts'
import type { Outcome } from './messages.ts'

/** What runs bundles inside a runner child. The seam for a second engine. */
export interface Engine {
  /** Starts a call. Every call starts from the same clean state. */
  start(call: EngineCall, callbacks: HostCallbacks): RunningCall
}

/** One call, as the engine sees it. */
export interface EngineCall {
  /** Names the code: the same name is the same code. */
  readonly sha256: string
  readonly command: string
  /** The parameters as JSON. */
  readonly params: string
  readonly limits: Limits
  /** CPU time in milliseconds after which the call has to leave, unless it sent more than GET and HEAD. */
  readonly sliceMs?: number | undefined
  /** Fetches the code, when the engine holds neither it nor an image of it. */
  loadCode(): Promise<string>
}

/** What a call may ask of the outside. */
export interface HostCallbacks {
  /** Sends a request; answered through `RunningCall.respond` or `RunningCall.refuse`. */
  request(id: number, text: string, body: Uint8Array | undefined): void
  abort(id: number): void
  /** Called each time before the guest computes. */
  onComputeStart(): void
  /** Called each time after the guest has computed. */
  onComputeEnd(step: ComputeStep): void
}

/** One stretch of computing. */
export interface ComputeStep {
  readonly cpuMs: number
  readonly wallMs: number
  /** Linear memory of the VM, in bytes. */
  readonly bytes: number
}

/** A call under way. */
export interface RunningCall {
  /** Never rejects. */
  readonly finished: Promise<FinishedCall>
  /** Answers a request. `head` is JSON `{status, statusText, rawHeaders}`. */
  respond(id: number, head: string, body: Uint8Array): void
  /** Fails a request. `error` is JSON `{code, message}`. */
  failRequest(id: number, error: string): void
  /** Another call computed for so long meanwhile: its time does not count. */
  extendWallTime(ms: number): void
  /** Ends the call: its answer is not wanted any more. */
  cancel(): void
}

export interface FinishedCall {
  readonly outcome: Outcome
  readonly logs: number
}
