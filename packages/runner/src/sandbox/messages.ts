import type { Limits } from '../limits.ts'

/**
 * The messages between the service (`../pool`) and a runner child (`main.ts`).
 *
 * They are sent as frames (`frames.ts`). The host does not trust a child: it validates the shape of each message and
 * that the call belongs to that child, and kills a child that violates the protocol.
 */

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
  /** The response to `build`: a stored image (`bundle-images.ts`), or nothing if the bundle has none. */
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

/**
 * The wire format between the service and a runner child: length-prefixed frames on a pipe.
 *
 * A frame is two unsigned 32-bit little-endian lengths, a JSON object in UTF-8, and the raw bytes of its body. The
 * second length is `NO_BODY` when the message has no body. Unlike with V8's serialization, a frame of an escaped guest
 * is only ever parsed by `JSON.parse`.
 */

/** Size limits of one frame, in bytes. */
export interface FrameLimits {
  readonly headerBytes: number
  readonly bodyBytes: number
}

/** Limits for frames of a child. The largest header is a request of 128 Ki characters, the largest body a result. */
export const CHILD_FRAME_LIMITS: FrameLimits = {
  headerBytes: 1024 * 1024,
  bodyBytes: 8 * 1024 * 1024,
}

/** Limits for frames of the service. The child trusts it; the limit only has to allow the largest bundle. */
export const HOST_FRAME_LIMITS: FrameLimits = {
  headerBytes: 256 * 1024 * 1024,
  bodyBytes: 256 * 1024 * 1024,
}

/** The peer violated the wire format. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FrameError'
  }
}

/** The parts of one frame, to be written in this order. A `body` of bytes is not copied. */
export function encodeFrame(message: object): Uint8Array[] {
  const { body, ...header } = message as { readonly body?: unknown }
  const json = Buffer.from(JSON.stringify(header))
  const hasBody = body instanceof Uint8Array
  const head = Buffer.allocUnsafe(PREFIX_BYTES + json.byteLength)
  head.writeUInt32LE(json.byteLength, 0)
  head.writeUInt32LE(hasBody ? body.byteLength : NO_BODY, 4)
  json.copy(head, PREFIX_BYTES)
  return hasBody && body.byteLength > 0 ? [head, body] : [head]
}

const PREFIX_BYTES = 8

/** Splits a stream of bytes into messages. Buffers at most one incomplete frame. */
export class FrameReader {
  readonly #limits: FrameLimits
  readonly #onMessage: (message: unknown) => void
  /** The lengths of the next frame, as far as received. */
  readonly #prefix = Buffer.alloc(PREFIX_BYTES)
  #prefixBytes = 0
  #frame: Frame | undefined

  /** `onMessage` receives the JSON object of each frame, with the bytes as its `body`. */
  constructor(limits: FrameLimits, onMessage: (message: unknown) => void) {
    this.#limits = limits
    this.#onMessage = onMessage
  }

  /** Processes the next bytes. @throws FrameError when they are not frames: nothing after them can be read */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.byteLength; ) {
      if (this.#frame === undefined) at += this.#readPrefix(chunk, at)
      if (this.#frame !== undefined) at += this.#readFrame(this.#frame, chunk, at)
    }
  }

  #readPrefix(chunk: Uint8Array, at: number): number {
    const count = Math.min(PREFIX_BYTES - this.#prefixBytes, chunk.byteLength - at)
    this.#prefix.set(chunk.subarray(at, at + count), this.#prefixBytes)
    this.#prefixBytes += count
    if (this.#prefixBytes < PREFIX_BYTES) return count
    this.#prefixBytes = 0
    const headerBytes = this.#prefix.readUInt32LE(0)
    const bodyLength = this.#prefix.readUInt32LE(4)
    const hasBody = bodyLength !== NO_BODY
    const bodyBytes = hasBody ? bodyLength : 0
    if (headerBytes < 2 || headerBytes > this.#limits.headerBytes)
      throw new FrameError('the header of a frame has an invalid length')
    if (bodyBytes > this.#limits.bodyBytes)
      throw new FrameError('the body of a frame has an invalid length')
    this.#frame = {
      headerBytes,
      hasBody,
      length: headerBytes + bodyBytes,
      buffer: undefined,
      received: 0,
    }
    return count
  }

  #readFrame(frame: Frame, chunk: Uint8Array, at: number): number {
    const count = Math.min(frame.length - frame.received, chunk.byteLength - at)
    const part = chunk.subarray(at, at + count)
    const isComplete = count === frame.length
    if (!isComplete) {
      // Uninitialized memory is not touched before it is written, so a length without its bytes costs no memory.
      frame.buffer ??= Buffer.allocUnsafeSlow(frame.length)
      frame.buffer.set(part, frame.received)
    }
    frame.received += count
    if (frame.received === frame.length) {
      this.#frame = undefined
      this.#onMessage(decodeMessage(frame, isComplete ? part : (frame.buffer ?? part)))
    }
    return count
  }
}

interface Frame {
  readonly headerBytes: number
  readonly hasBody: boolean
  /** Header and body. */
  readonly length: number
  buffer: Buffer | undefined
  received: number
}

function decodeMessage({ headerBytes, hasBody }: Frame, bytes: Uint8Array): object {
  const header = parseHeader(bytes.subarray(0, headerBytes))
  return hasBody ? { ...header, body: bytes.subarray(headerBytes) } : header
}

function parseHeader(bytes: Uint8Array): object {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw new FrameError('the header of a frame is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FrameError('the header of a frame is not an object')
  return value
}
const NO_BODY = 0xffff_ffff
const utf8 = new TextDecoder('utf-8', { fatal: true })
