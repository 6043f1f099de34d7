/**
 * The messages between the service (`../pool`) and a runner child (`main.ts`).
 *
 * They are sent as frames (`frames.ts`). The host does not trust a child: it validates the shape of each message and
 * that the call belongs to that child, and kills a child that violates the protocol.
 */
import type { Limits } from '../limits.ts'

/** Messages from the service to a child. `call` is the id of a call, `request` the id of a request of that call. */
export type HostMessage =
  | {
      readonly type: 'run'
      readonly call: number
      readonly sha256: string
      readonly command: string
      readonly params: string
      readonly limits: Limits
      /** As in `EngineCall`. */
      readonly sliceMs: number | undefined
    }
  /** The result of this call is no longer needed. */
  | { readonly type: 'cancel'; readonly call: number }
  /**
   * The code that a child requested; undefined if it could not be loaded, in which case its calls have failed already.
   */
  | { readonly type: 'code'; readonly sha256: string; readonly code: string | undefined }
  /** An image of the bundle instead of its code, if the child accepts one. */
  | { readonly type: 'image'; readonly sha256: string; readonly body: Uint8Array }
  /** Take an image of this code. Sent only to a child that runs nothing else. */
  | { readonly type: 'build'; readonly code: string; readonly limits: Limits }
  | {
      readonly type: 'response'
      readonly call: number
      readonly request: number
      readonly head: string
      readonly body: Uint8Array
    }
  | {
      readonly type: 'failure'
      readonly call: number
      readonly request: number
      readonly error: string
    }

/** Messages from a child to the service. */
export type ChildMessage =
  | { readonly type: 'ready' }
  /** The child has not cached this code. */
  | {
      readonly type: 'code-request'
      readonly sha256: string
      readonly call: number
      /** An image may be sent instead. */
      readonly acceptsImage: boolean
    }
  /** From now on this call computes. Sent before it starts, so that a crash can be attributed. */
  | { readonly type: 'busy'; readonly call: number }
  /**
   * No call computes. Sent after each message of the host and each timer, with the computing since the previous one.
   */
  | { readonly type: 'idle'; readonly steps: readonly CallStep[] }
  | {
      readonly type: 'request'
      readonly call: number
      readonly request: number
      readonly text: string
      readonly body: Uint8Array | undefined
    }
  /** The guest aborted this request. */
  | { readonly type: 'abort'; readonly call: number; readonly request: number }
  | {
      readonly type: 'end'
      readonly call: number
      readonly outcome: Outcome
      /** Lines of console output that were dropped. */
      readonly logs: number
      /** Resident memory of the child some calls ago, in bytes. */
      readonly rss: number
      /** As in `FinishedCall`. */
      readonly isDeterministic: boolean
    }
  /** The response to `build`: a stored image (`bundle-image.ts`), or nothing if the bundle has none. */
  | { readonly type: 'image'; readonly body: Uint8Array | undefined }
  /** The child had an internal error and exits. */
  | { readonly type: 'crash'; readonly message: string }

/** The end of a call. */
export type EndMessage = ChildMessage & { readonly type: 'end' }

/** One stretch of computing. */
export interface ComputeStep {
  readonly cpuMs: number
  readonly wallMs: number
  /** Linear memory of the VM, in bytes. */
  readonly bytes: number
}

/** What one call has computed without a pause. */
export interface CallStep extends ComputeStep {
  readonly call: number
}

/** How a call ended inside the sandbox. */
export type Outcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: FailureReason; readonly message: string }

/**
 * Why a call failed. `slice`: it computed too long while others wait. `cancelled`: cancelled by the host. `load`: the
 * code does not load. `threw`, `exit`: as named. `cpu`, `wall`: out of time. `stuck`: no timer or request is pending.
 * `memory`, `depth`, `size`: out of memory or stack, result too large. `output`: the result is not JSON.
 */
export type FailureReason =
  | 'load'
  | 'threw'
  | 'exit'
  | 'cpu'
  | 'slice'
  | 'cancelled'
  | 'wall'
  | 'stuck'
  | 'memory'
  | 'depth'
  | 'size'
  | 'output'
