import { randomBytes } from 'node:crypto'
import type { Limits } from '../limits.ts'
import {
  type GuestEvent,
  type GuestText,
  type HostCallHandler,
  isOutOfMemoryMessage,
} from './host-bindings.ts'
import type { ComputeStep, FailureReason, Outcome } from './messages.ts'
import { Meter } from './meter.ts'
import { PendingRequests } from './pending-requests.ts'
import { MAX_SIGN_REQUEST_LENGTH, signForGuest } from './sign.ts'
import type { GuestFailure, Vm } from './vm.ts'

/** What a call does, and its limits. */
export type GuestCallOptions = Pick<EngineCall, 'command' | 'params' | 'limits' | 'sliceMs'>

/** One call from its start to its end, with its timers, requests and limits. */
export class GuestCall {
  /** Never rejects. */
  readonly finished: Promise<FinishedCall>
  readonly #call: GuestCallOptions
  readonly #callbacks: HostCallbacks
  readonly #meter: Meter
  #wallTimer: NodeJS.Timeout
  readonly #timers: Timers
  readonly #requests: PendingRequests
  #logs = 0
  #vm: Vm | undefined
  #settle: (finished: FinishedCall) => void = () => {}
  #isOver = false
  #hasTakenEntropy = false
  #hasWaited = false

  constructor(call: GuestCallOptions, callbacks: HostCallbacks) {
    const { limits } = call
    this.#call = call
    this.#callbacks = callbacks
    this.#meter = new Meter(limits.cpuMs, limits.wallMs, call.sliceMs)
    this.#wallTimer = setTimeout(() => this.#checkWallTime(), limits.wallMs)
    this.#timers = new Timers(limits.timers, (id) => this.#dispatchEvents([{ kind: 'timer', id }]))
    this.#requests = new PendingRequests({
      limits,
      send: (id, text, body) => callbacks.request(id, text, body),
      abort: (id) => callbacks.abort(id),
      // From now on it must not be retried, so it stays in this child to its end.
      onSideEffect: () => this.#meter.extendSlice(limits.cpuMs),
      dispatch: (events) => this.#dispatchEvents(events),
    })
    this.finished = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Compiles the bundle. @returns true if the memory of the VM may be used as an image afterwards */
  compile(vm: Vm, code: string): boolean {
    return this.#runPreparation(vm, code, () => vm.compile(this.#meter, code))
  }

  /** Loads the compiled bundle. @returns true if the memory of the VM may be used as an image afterwards */
  load(vm: Vm, code = ''): boolean {
    return this.#runPreparation(vm, code, () => vm.load(this.#meter))
  }

  /** Runs the command of the call. */
  run(vm: Vm): void {
    this.#attachVm(vm)
    const { command, params } = this.#call
    this.#runStep(() => vm.run(this.#meter, command, params))
  }

  /** Ends a request with a response. `head` is JSON `{status, statusText, rawHeaders}`. */
  respond(id: number, head: string, body: Uint8Array): void {
    this.#requests.respond(id, head, body)
  }

  /** Ends a request with an error. `error` is JSON `{code, message}`. */
  failRequest(id: number, error: string): void {
    this.#requests.fail(id, error)
  }

  /** Adds time for which another call computed: it does not count. */
  extendWallTime(ms: number): void {
    this.#meter.extendWall(ms)
  }

  /** Ends the call: its result is no longer needed. */
  cancel(): void {
    this.#fail('cancelled')
  }

  /** The engine itself failed. */
  crash(error: unknown): void {
    this.#fail('threw', `The sandbox failed: ${error instanceof Error ? error.message : 'unknown'}`)
  }

  /**
   * An image is shared by all calls. Values that a bundle derives from random bytes or a clock would be the same in
   * each of them, so a memory that may contain such values must not become an image, nor one with pending timers or
   * requests.
   */
  #runPreparation(vm: Vm, code: string, step: () => GuestFailure | undefined): boolean {
    if (this.#isOver) return false
    this.#attachVm(vm)
    this.#meter.extendSlice(LOAD_MS + code.length * LOAD_MS_PER_CHARACTER)
    const guestFailure = this.#measureStep(step)
    if (guestFailure?.reason === 'bundle-error')
      this.#fail('load', loadMessage(guestFailure.message, code))
    else if (guestFailure !== undefined) this.#fail(guestFailure.reason)
    return !this.#isOver && !this.#isWaiting && !this.#hasTakenEntropy && !vm.hasReadClock
  }

  get #isWaiting(): boolean {
    return this.#timers.size + this.#requests.size > 0
  }

  #attachVm(vm: Vm): void {
    this.#vm = vm
    vm.onHostCall = this.#handleHostCall
  }

  #dispatchEvents(events: readonly GuestEvent[]): void {
    const vm = this.#vm
    if (vm !== undefined) this.#runStep(() => vm.events(this.#meter, events))
  }

  #runStep(step: () => GuestFailure | undefined): void {
    if (this.#isOver) return
    const guestFailure = this.#measureStep(step)
    if (guestFailure !== undefined) {
      const { reason, message } = guestFailure
      this.#fail(reason === 'bundle-error' ? 'threw' : reason, message)
    }
    // Nothing is left that could ever resume the guest.
    if (!this.#isWaiting) this.#fail(this.#vm?.memory.isCrowded ? 'memory' : 'stuck')
  }

  #measureStep(step: () => GuestFailure | undefined): GuestFailure | undefined {
    this.#callbacks.onComputeStart()
    const startedAt = performance.now()
    const usedBefore = this.#meter.usedMs
    const guestFailure = step()
    const cpuMs = this.#meter.usedMs - usedBefore
    const bytes = this.#vm?.memory.byteLength ?? 0
    this.#callbacks.onComputeEnd({ cpuMs, wallMs: performance.now() - startedAt, bytes })
    return guestFailure
  }

  // The end may have moved since the timer was set.
  #checkWallTime(): void {
    const left = this.#meter.wallEnd - performance.now()
    if (left <= 0) this.#fail('wall')
    else this.#wallTimer = setTimeout(() => this.#checkWallTime(), left)
  }

  readonly #handleHostCall: HostCallHandler = (kind, id, text, bytes) => {
    if (this.#isOver) return
    // Two of the algorithms sign differently each time.
    this.#hasTakenEntropy ||= kind === 'random' || kind === 'sign'
    this.#hasWaited ||= kind === 'timer' || kind === 'request'
    if (kind === 'random') return generateRandomHex(Number(text.read()))
    if (kind === 'sign')
      return text.length > MAX_SIGN_REQUEST_LENGTH ? undefined : signForGuest(text.read(), bytes)
    if (kind === 'timer') this.#timers.set(id, Number(text.read()))
    else if (kind === 'clear') this.#timers.clear(id)
    else if (kind === 'request') this.#requests.send(id, text, bytes)
    else if (kind === 'abort') this.#requests.abort(id)
    else if (kind === 'log') this.#logs++
    else if (kind === 'exit') this.#fail('exit', String(id))
    else if (kind === 'done') this.#end(createResultOutcome(text, this.#call.limits.resultBytes))
    else if (kind === 'fail')
      this.#end(createErrorOutcome(text, this.#vm?.memory.isCrowded === true))
  }

  #fail(reason: FailureReason, message = ''): void {
    this.#end({ ok: false, reason, message })
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#meter.stopImmediately()
    clearTimeout(this.#wallTimer)
    this.#timers.clearAll()
    this.#requests.clear()
    const hasReadClock = this.#vm?.hasReadClock ?? true
    const isDeterministic = !this.#hasTakenEntropy && !this.#hasWaited && !hasReadClock
    this.#settle({ outcome, logs: this.#logs, isDeterministic })
  }
}

/** Loading time allowed for the modules of large bundles. */
const LOAD_MS = 50
/** QuickJS compiles 10 kB in a millisecond; slower machines get twice the time. */
const LOAD_MS_PER_CHARACTER = 0.0002
const MAX_RANDOM_BYTES = 65_536

function generateRandomHex(count: number): string {
  const bytes = Math.min(Math.max(0, Math.floor(count) || 0), MAX_RANDOM_BYTES)
  return randomBytes(bytes).toString('hex')
}

function loadMessage(message: string, code: string): string {
  return (message.startsWith('SyntaxError') ? describeInvalidSource(code) : undefined) ?? message
}

/** The outcome of a call whose guest returned a result: JSON of at most `maxBytes` bytes. */
function createResultOutcome(text: GuestText, maxBytes: number): Outcome {
  const json = text.length > maxBytes ? undefined : text.read()
  if (json === undefined || Buffer.byteLength(json) > maxBytes)
    return { ok: false, reason: 'size', message: '' }
  // A result is never empty: the VM had no memory left to return it.
  if (json === '') return { ok: false, reason: 'memory', message: '' }
  return { ok: true, json }
}

/** The outcome of a call whose guest reported an error. `isCrowded`: little memory is left in the VM. */
function createErrorOutcome(text: GuestText, isMemoryShared: boolean): Outcome {
  const { message, kind } = parseFailure(text)
  // Without memory for an error object, QuickJS throws null.
  if ((message === 'null' && isMemoryShared) || isOutOfMemoryMessage(message))
    return { ok: false, reason: 'memory', message: '' }
  return { ok: false, reason: kind === 'output' ? 'output' : 'threw', message }
}

function parseFailure(text: GuestText): { message: string; kind: unknown } {
  try {
    const { name, message, kind } = JSON.parse(text.length > 65_536 ? '' : text.read())
    const messageText = typeof message === 'string' ? message : ''
    return {
      message:
        typeof name === 'string' && name !== 'Error' ? `${name}: ${messageText}` : messageText,
      kind,
    }
  } catch {
    return { message: '', kind: 'threw' }
  }
}

/** The timers of one call. The callbacks are in the guest; the host has only their ids. */
class Timers {
  readonly #timers = new Map<number, NodeJS.Timeout>()
  readonly #max: number
  readonly #fire: (id: number) => void

  constructor(max: number, fire: (id: number) => void) {
    this.#max = max
    this.#fire = fire
  }

  get size(): number {
    return this.#timers.size
  }

  /** Sets or resets a timer. @throws Error when too many are set */
  set(id: number, ms: number): void {
    this.clear(id)
    if (this.#timers.size >= this.#max) throw new Error('Too many timers are set.')
    const delay = ms > 0 ? Math.min(ms, 2 ** 31 - 1) : 0
    const fire = () => {
      this.#timers.delete(id)
      this.#fire(id)
    }
    this.#timers.set(id, setTimeout(fire, delay))
  }

  clear(id: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  clearAll(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}

/**
 * The likely kind of code that does not compile, as the end of "The bundle cannot be loaded: …"; undefined if unknown.
 * People paste the URL of a page, or of the source, more often than they write invalid JavaScript.
 */
export function describeInvalidSource(code: string): string | undefined {
  const start = code.slice(0, 2_000).trimStart()
  if (/^<(?:!doctype|html|head|body|\?xml|[a-z][\w:-]*[\s>])/i.test(start))
    return 'it is a web page or XML, not JavaScript. Check the URL.'
  if (/^[{[]/.test(start) && isJson(code)) return 'it is JSON, not JavaScript. Check the URL.'
  if (/^\d{3}\b[:\s]/.test(start)) return 'it is an error page, not JavaScript. Check the URL.'
  if (TYPESCRIPT.test(code.slice(0, MAX_SCANNED_LENGTH)))
    return "it is TypeScript source. Build it as CommonJS (`format: 'cjs'`) first."
  if (isModuleSyntax(code)) return "it is an ES module. Build it as CommonJS (`format: 'cjs'`)."
  return undefined
}

const MAX_SCANNED_LENGTH = 256 * 1024
// Every repetition is bounded, as in module-syntax.ts.
const TYPESCRIPT =
  /(?:^|[;}\n])\s{0,40}(?:export\s+)?(?:interface\s{1,40}[A-Z]\w{0,200}\s{0,40}(?:extends\b[^{;]{0,400})?\{|type\s{1,40}[A-Z]\w{0,200}(?:<[^=\n]{0,80}>)?\s{0,40}=|import\s{1,40}type\b|enum\s{1,40}[A-Z]\w{0,200}\s{0,40}\{)/

function isJson(code: string): boolean {
  try {
    JSON.parse(code)
    return true
  } catch {
    return false
  }
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
  /** Sends a request; it ends with `GuestCall.respond` or `GuestCall.failRequest`. */
  request(id: number, text: string, body: Uint8Array | undefined): void
  abort(id: number): void
  /** Called each time before the guest computes. */
  onComputeStart(): void
  /** Called each time after the guest has computed. */
  onComputeEnd(step: ComputeStep): void
}

interface FinishedCall {
  readonly outcome: Outcome
  readonly logs: number
  /** The guest read no clock and no random bytes, and used no timer and no request: only its parameters count. */
  readonly isDeterministic: boolean
}

/** Returns true if code that does not compile looks like an ES module. */
export function isModuleSyntax(code: string): boolean {
  const start = code.slice(0, MAX_SCANNED_LENGTH)
  return EXPORT.test(start) || IMPORT.test(start)
}
// Every repetition is bounded, so that a long run is not scanned again from each of its characters.
const EXPORT =
  /(?:^|[;}\n])\s{0,40}export\s{0,40}(?:[{*]|(?:default|const|let|var|function|class|async)\b)/
const IMPORT = /(?:^|[;}\n])\s{0,40}import\s{0,40}(?:[{*"']|[\w$]{1,200}\s{0,40}(?:,|from\b))/
