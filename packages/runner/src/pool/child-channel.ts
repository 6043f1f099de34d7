import type { ChildProcess } from 'node:child_process'
import { Duplex } from 'node:stream'
import { withTimeout } from '../egress/deadline.ts'
import {
  type CallStep,
  CHILD_FRAME_LIMITS,
  type ChildMessage,
  encodeFrame,
  type FailureReason,
  FrameReader,
  type HostMessage,
  type Outcome,
} from '../sandbox/messages.ts'

/** Events of the channel to a child. */
interface ChannelEvents {
  message(message: ChildMessage): void
  /** The child violated the protocol: nothing that it sends can be trusted any more. */
  protocolError(reason: string): void
}

/** The service's end of the pipe to a child. Never throws, whatever the child writes. */
export class ChildChannel {
  readonly #socket: Duplex & Partial<{ ref(): void; unref(): void }>
  readonly #events: ChannelEvents
  #isBroken = false
  /** Messages of the current chunk. */
  #burst = 0
  /** Messages since `#countedFrom`, a monotonic time in milliseconds. */
  #count = 0
  #countedFrom = 0

  constructor(child: ChildProcess, events: ChannelEvents) {
    const socket = child.stdio[CHANNEL_FD]
    if (!(socket instanceof Duplex)) throw new TypeError('the child has no channel')
    this.#socket = socket
    this.#events = events
    const reader = new FrameReader(CHILD_FRAME_LIMITS, (raw) => this.#receive(raw))
    socket.on('data', (chunk: Buffer) => this.#read(reader, chunk))
    // The child has exited; its exit event reports that.
    socket.on('error', () => {})
  }

  /** Resolves when everything that the child wrote has been read. */
  get ended(): Promise<void> {
    if (this.#socket.closed) return Promise.resolve()
    return new Promise((resolve) => this.#socket.once('close', () => resolve()))
  }

  send(message: HostMessage): void {
    if (this.#isBroken || !this.#socket.writable) return
    this.#socket.cork()
    for (const part of encodeFrame(message)) this.#socket.write(part)
    this.#socket.uncork()
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#fail('it does not read its pipe')
  }

  /** Whether the pipe keeps the service alive. */
  ref(): void {
    this.#socket.ref?.()
  }

  unref(): void {
    this.#socket.unref?.()
  }

  #read(reader: FrameReader, chunk: Buffer): void {
    if (this.#isBroken) return
    this.#burst = 0
    try {
      reader.push(chunk)
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : 'unknown')
    }
    if (this.#isFlooding()) this.#fail('it sends too many messages')
    if (this.#burst <= MAX_BURST || this.#isBroken) return
    // Between two chunks, a flood of small messages yields to the event loop.
    this.#socket.pause()
    setImmediate(() => this.#socket.resume())
  }

  #isFlooding(): boolean {
    const now = performance.now()
    if (now - this.#countedFrom > 1_000) {
      this.#count = 0
      this.#countedFrom = now
    }
    this.#count += this.#burst
    return this.#count > MAX_PER_SECOND
  }

  #receive(raw: unknown): void {
    this.#burst++
    const message = parseChildMessage(raw)
    if (message === undefined) this.#fail('a frame is not a valid message')
    else if (!this.#isBroken) this.#events.message(message)
  }

  #fail(reason: string): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#socket.destroy()
    this.#events.protocolError(reason)
  }
}

/** The descriptor of the pipe in the child. */
export const CHANNEL_FD = 3

/** Messages of one chunk (64 KiB at most) that are processed in one turn of the event loop. */
const MAX_BURST = 256

/** Guests cause a few thousand, because a timer fires at most once per millisecond and causes two messages. */
const MAX_PER_SECOND = 50_000

/**
 * This is enough for eight calls with six responses of 5 MiB each. A child that leaves more unread is stuck or hostile.
 */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024

/** Validates the shape of a message from a child. @returns undefined when it is not a valid message */
export function parseChildMessage(raw: unknown): ChildMessage | undefined {
  if (!isRecord(raw)) return undefined
  const { type, call, request } = raw
  if (type === 'ready') return { type }
  if (type === 'idle') return { type, steps: parseSteps(raw.steps) }
  if (type === 'crash') return { type, message: String(raw.message).slice(0, 500) }
  if (type === 'image') return { type, body: toBytes(raw.body) }
  if (!isId(call)) return undefined
  if (type === 'busy') return { type, call }
  if (type === 'code-request')
    return isString(raw.sha256)
      ? { type, call, sha256: raw.sha256, acceptsImage: raw.acceptsImage === true }
      : undefined
  if (type === 'end') return parseEnd(raw, call)
  if (!isId(request)) return undefined
  if (type === 'abort') return { type, call, request }
  if (type !== 'request' || !isString(raw.text)) return undefined
  return { type, call, request, text: raw.text, body: toBytes(raw.body) }
}

// A child can send false values only if its guest has escaped.
function parseSteps(raw: unknown): CallStep[] {
  if (!Array.isArray(raw)) return []
  return raw.slice(0, MAX_STEPS).flatMap((each: unknown) => {
    if (!isRecord(each) || !isId(each.call)) return []
    const { call, cpuMs, wallMs, bytes } = each
    return [
      {
        call,
        cpuMs: parseDuration(cpuMs),
        wallMs: parseDuration(wallMs),
        bytes: Number(bytes) || 0,
      },
    ]
  })
}

const MAX_STEPS = 1_000

function parseDuration(raw: unknown): number {
  return Math.min(Math.max(0, Number(raw) || 0), 60_000)
}

function parseEnd(raw: Record<string, unknown>, call: number): ChildMessage | undefined {
  const outcome = parseOutcome(raw.outcome, raw.body)
  if (outcome === undefined) return undefined
  const { logs, rss } = raw
  const isDeterministic = raw.isDeterministic === true
  return {
    type: 'end',
    call,
    outcome,
    logs: Number(logs) || 0,
    rss: Number(rss) || 0,
    isDeterministic,
  }
}

function parseOutcome(raw: unknown, body: unknown): Outcome | undefined {
  if (!isRecord(raw)) return undefined
  const { ok, reason, message } = raw
  if (ok === true) return body instanceof Uint8Array ? { ok, json: utf8.decode(body) } : undefined
  if (!isString(reason) || !REASONS.has(reason) || !isString(message)) return undefined
  return { ok: false, reason: reason as FailureReason, message: message.slice(0, 10_000) }
}

/** Bytes that are not UTF-8 become U+FFFD, as everywhere else. */
const utf8 = new TextDecoder()

const REASONS: ReadonlySet<string> = new Set<FailureReason>([
  ...(['load', 'threw', 'exit', 'cpu', 'slice', 'cancelled', 'wall', 'stuck'] as const),
  ...(['memory', 'depth', 'size', 'output'] as const),
])

function toBytes(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/** Events of the process of a runner child. */
export interface ProcessEvents extends ChannelEvents {
  /** It was not ready in time. */
  startTimedOut(): void
  /** It has exited, and everything that it wrote was read. */
  exited(): void
}

/** The process of a runner child, with the channel to it. */
export class RunnerProcess {
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #channel: ChildChannel
  readonly #startTimeout: NodeJS.Timeout
  #isKilled = false

  /** `startMs`: the timeout for its start. */
  constructor(child: ChildProcess, events: ProcessEvents, startTimeoutMs: number) {
    this.#process = child
    this.#startTimeout = setTimeout(() => events.startTimedOut(), startTimeoutMs).unref()
    this.#channel = new ChildChannel(child, events)
    this.exited = new Promise((resolve) => {
      const onExit = () => {
        clearTimeout(this.#startTimeout)
        events.exited()
        resolve()
      }
      // Its last messages show which call computed.
      child.once(
        'exit',
        () => void withTimeout(DRAIN_TIMEOUT_MS, this.#channel.ended, undefined).then(onExit),
      )
      // Also emitted when a message could not be sent; without a pid the process never started.
      child.on('error', () => child.pid === undefined && onExit())
    })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** It was ready in time. */
  markStarted(): void {
    clearTimeout(this.#startTimeout)
  }

  send(message: HostMessage): void {
    this.#channel.send(message)
  }

  /** Whether it keeps the service alive. */
  ref(): void {
    this.#process.ref()
    this.#channel.ref()
  }

  /** Without effect after `kill`: the service waits for the exit and must not end before it. */
  unref(): void {
    if (this.#isKilled) return
    this.#process.unref()
    this.#channel.unref()
  }

  /** Kills the process. `exited` resolves when it is gone. */
  kill(): void {
    this.#isKilled = true
    this.#process.ref()
    killProcessGroup(this.#process)
  }
}

/** How long the pipe of an exited child may take to end, in milliseconds. */
const DRAIN_TIMEOUT_MS = 1_000

/** Kills a process and everything that it started. It must be a process group leader. */
export function killProcessGroup(child: ChildProcess): void {
  child.kill('SIGKILL')
  if (child.pid === undefined || process.platform === 'win32') return
  try {
    // Killed in its first milliseconds, bubblewrap would leave an incomplete sandbox behind.
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The whole group has already exited.
  }
}
