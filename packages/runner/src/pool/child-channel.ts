import type { ChildProcess } from 'node:child_process'
import { Duplex } from 'node:stream'
import { CHILD_FRAME_LIMITS, encodeFrame, FrameReader } from '../sandbox/frames.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import { parseChildMessage } from './parse-child-message.ts'

/** Events of the channel to a child. */
export interface ChannelEvents {
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
