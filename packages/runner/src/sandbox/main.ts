import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { DEFAULT_LIMITS } from '../limits.ts'
import { Lru } from '../lru.ts'
import type { GuestCall } from './guest-call.ts'
import {
  type CallStep,
  CHILD_FRAME_LIMITS,
  type ChildMessage,
  type ComputeStep,
  encodeFrame,
  FrameReader,
  HOST_FRAME_LIMITS,
  type HostMessage,
} from './messages.ts'
import { QuickJsEngine } from './quickjs-engine.ts'
import { type BaseImage, decodeBaseImage } from './stored-images.ts'
import { readEngine } from './wasm.ts'

/** The codes that a child has cached. A missing code is requested once, however many calls wait for it. */
class CodeCache {
  readonly #cached = new Lru<string>(16, 32 * 1024 * 1024)
  /** By digest: those who accept an image instead, and those who do not. */
  readonly #pending: readonly [Pending, Pending] = [new Map(), new Map()]

  /**
   * Returns undefined if the host has sent an image instead, which it may only with `acceptsImage`. Rejects when the host
   * cannot load the code.
   */
  get(sha256: string, acceptsImage: boolean, requestCode: () => void): Promise<string | undefined> {
    const cached = this.#cached.get(sha256)
    if (cached !== undefined) return Promise.resolve(cached)
    const waiting = this.#pending[acceptsImage ? 0 : 1]
    let pending = waiting.get(sha256)
    if (pending === undefined) {
      pending = Promise.withResolvers()
      waiting.set(sha256, pending)
      requestCode()
    }
    return pending.promise
  }

  /** The host's response; without code if it could not be loaded. */
  provide(sha256: string, code: string | undefined): void {
    if (code !== undefined) this.#cached.set(sha256, code, 2 * code.length)
    for (const waiting of this.#pending) {
      const pending = waiting.get(sha256)
      waiting.delete(sha256)
      if (code === undefined) pending?.reject(new Error('the code is not available'))
      else pending?.resolve(code)
    }
  }

  /** The host has sent an image instead. */
  provideImage(sha256: string): void {
    const [waiting] = this.#pending
    waiting.get(sha256)?.resolve(undefined)
    waiting.delete(sha256)
  }
}

type Pending = Map<string, PromiseWithResolvers<string | undefined>>

/** Shorter stretches of computing do not delay other calls, in milliseconds. */
const MIN_BLOCKING_MS = 1
/** Calls between two readings of the memory in use, each of which is a system call. */
const RSS_INTERVAL = 16

// A runner child: `node … main.ts <guest script> <base image>`, with a pipe to its host as its only handle.
const calls = new Map<number, GuestCall>()
const codes = new CodeCache()
let computingCall = 0
let completedCalls = 0
let rss = 0
let isIdleScheduled = false
let steps = new Map<number, CallStep>()

const [, , guestFile = '', baseImageFile = ''] = process.argv

const guestScript = readFileSync(guestFile, 'utf8')

const engine = await QuickJsEngine.create(guestScript, readBaseImage())

const CHANNEL_FD = 3

const { send, sendNow } = openChannel(receive)

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
sendNow({ type: 'ready' })
await engine.warmUp(DEFAULT_LIMITS)

function readBaseImage(): BaseImage | undefined {
  // The npm package of the kit has none.
  if (baseImageFile === '') return undefined
  return decodeBaseImage(readFileSync(baseImageFile), { guestScript, engine: readEngine() })
}

function receive(message: HostMessage): void {
  scheduleIdle()
  if (message.type === 'run') start(message)
  else if (message.type === 'code') codes.provide(message.sha256, message.code)
  else if (message.type === 'image') {
    engine.addImage(message.sha256, message.body)
    codes.provideImage(message.sha256)
  } else if (message.type === 'build') void build(message)
  else if (message.type === 'cancel') calls.get(message.call)?.cancel()
  else if (message.type === 'response') {
    calls.get(message.call)?.respond(message.request, message.head, message.body)
  } else calls.get(message.call)?.failRequest(message.request, message.error)
}

function start({
  call,
  sha256,
  command,
  params,
  limits,
  sliceMs,
}: HostMessage & { type: 'run' }): void {
  const loadCode = (acceptsImage: boolean) =>
    codes.get(sha256, acceptsImage, () =>
      send({ type: 'code-request', sha256, call, acceptsImage }),
    )
  const running = engine.start(
    { sha256, command, params, limits, sliceMs, loadCode },
    {
      request: (request, text, body) => send({ type: 'request', call, request, text, body }),
      abort: (request) => send({ type: 'abort', call, request }),
      onComputeStart: () => markComputing(call),
      onComputeEnd: (step) => recordStep(call, step),
    },
  )
  calls.set(call, running)
  void running.finished.then(({ outcome, logs, isDeterministic }) => {
    calls.delete(call)
    if (completedCalls++ % RSS_INTERVAL === 0) rss = process.memoryUsage.rss()
    send({ type: 'end', call, outcome, logs, rss, isDeterministic })
  })
}

async function build({ code, limits }: HostMessage & { type: 'build' }): Promise<void> {
  const image = await engine.buildImage(code, limits)
  const isTooLarge = image !== undefined && image.byteLength > CHILD_FRAME_LIMITS.bodyBytes
  send({ type: 'image', body: isTooLarge ? undefined : image })
}

// Even a lost child must not be blamed on a call that only waited.
function markComputing(call: number): void {
  scheduleIdle()
  if (computingCall === call) return
  computingCall = call
  sendNow({ type: 'busy', call })
}

function recordStep(call: number, step: ComputeStep): void {
  const { cpuMs = 0, wallMs = 0 } = steps.get(call) ?? {}
  const { bytes } = step
  // All work between two idle states delays the other calls without a pause.
  steps.set(call, { call, cpuMs: cpuMs + step.cpuMs, wallMs: wallMs + step.wallMs, bytes })
  if (step.wallMs < MIN_BLOCKING_MS) return
  for (const [id, other] of calls) if (id !== call) other.extendWallTime(step.wallMs)
}

// Then the host gives the next call its turn.
function scheduleIdle(): void {
  if (isIdleScheduled) return
  isIdleScheduled = true
  setImmediate(() => {
    isIdleScheduled = false
    computingCall = 0
    send({ type: 'idle', steps: [...steps.values()] })
    steps = new Map()
  })
}

function crash(error: unknown): void {
  sendNow({ type: 'crash', message: error instanceof Error ? error.message : 'unknown' })
  setTimeout(() => process.exit(1), 20)
}

/** The child's end of the pipe to the service. */
export interface Channel {
  /** Sends a message at the end of this turn of the event loop, together with the others. */
  send(message: ChildMessage): void
  /** Sends a message, and those that wait for the end of the turn, before it returns. */
  sendNow(message: ChildMessage): void
}

/** Opens the pipe that the child inherited as descriptor 3. The process exits when the pipe closes. */
function openChannel(onMessage: (message: HostMessage) => void): Channel {
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true })
  // The host is trusted, so its frames are not validated.
  const reader = new FrameReader(HOST_FRAME_LIMITS, (message) => onMessage(message as HostMessage))
  socket.on('data', (chunk) => reader.push(chunk))
  socket.on('error', () => process.exit())
  socket.on('close', () => process.exit())
  let isCorked = false
  const write = (message: ChildMessage) => {
    if (!isCorked) socket.cork()
    isCorked = true
    for (const part of encodeFrame(toFrame(message))) socket.write(part)
  }
  const flush = () => {
    if (isCorked) socket.uncork()
    isCorked = false
  }
  return {
    send(message) {
      if (!socket.writable) return
      if (!isCorked) setImmediate(flush)
      write(message)
    },
    sendNow(message) {
      if (!socket.writable) return
      write(message)
      flush()
    },
  }
}

/** A result is sent as the body of its frame: as a string in the header, its JSON would be escaped and parsed twice. */
function toFrame(message: ChildMessage): object {
  if (message.type !== 'end' || !message.outcome.ok) return message
  return { ...message, outcome: { ok: true }, body: Buffer.from(message.outcome.json) }
}
