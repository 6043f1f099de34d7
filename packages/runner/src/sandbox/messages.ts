/**
 * The messages between the service (`../pool`) and a runner child (`main.ts`).
 *
 * They travel as frames (`frames.ts`). The host trusts nothing that comes from a child: it checks the shape of each
 * message and that the call is one of that child's own, and kills a child that breaks the protocol.
 */
import type { Limits } from '../limits.ts'
import type { ComputeStep } from './engine.ts'

/** From the service to a child. `call` numbers a call, `request` a request of that call. */
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
  /** The answer of this call is not wanted any more. */
  | { readonly type: 'cancel'; readonly call: number }
  /** The code that a child asked for; undefined when there is none, and its calls have failed already. */
  | { readonly type: 'code'; readonly sha256: string; readonly code: string | undefined }
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

/** From a child to the service. */
export type ChildMessage =
  | { readonly type: 'ready' }
  /** The child does not hold this code. */
  | { readonly type: 'need'; readonly sha256: string; readonly call: number }
  /** From here on this call is the one that computes. Sent before it starts, so that a crash has a suspect. */
  | { readonly type: 'enter'; readonly call: number }
  /** No call computes. Follows each message of the host and each timer, with what was computed since the last. */
  | { readonly type: 'rest'; readonly steps: readonly CallStep[] }
  | {
      readonly type: 'request'
      readonly call: number
      readonly request: number
      readonly text: string
      readonly body: Uint8Array | undefined
    }
  /** The guest no longer wants the answer of this request. */
  | { readonly type: 'abort'; readonly call: number; readonly request: number }
  | {
      readonly type: 'end'
      readonly call: number
      readonly outcome: Outcome
      /** Lines of console output that were dropped. */
      readonly logs: number
      /** Resident memory of the child, in bytes. */
      readonly rss: number
    }
  /** The child met an error of its own and exits. */
  | { readonly type: 'crash'; readonly message: string }

/** What one call has computed at a stretch. */
export interface CallStep extends ComputeStep {
  readonly call: number
}

/** How a call ended inside the jail. */
export type Outcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: FailureReason; readonly message: string }

/**
 * Why a call has no answer. `slice`: it computed longer than it may where others wait. `cancelled`: the host said so. `load`: the code does not load. `threw`, `exit`: as named. `cpu`, `wall`: out of time.
 * `stuck`: nothing is left that could ever answer. `memory`, `depth`, `size`: out of memory, of stack, answer too
 * large. `output`: the answer is not JSON.
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
