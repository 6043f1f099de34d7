import { brotliDecompressSync } from 'node:zlib'
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'

/**
 * The interface between the guest script (built from `../guest`, runs inside QuickJS) and its VM.
 *
 * The guest script is one IIFE. Once evaluated it leaves `globalThis.__bindings`, which the VM removes before any bundle
 * is loaded. Only strings, numbers and byte arrays (ArrayBuffers) are passed.
 *
 * - `boot(post)`: gives the guest its function for calls to the host. Called once.
 * - `load(fn)`: `fn` is the bundle compiled as `function (exports, require, module, __filename, __dirname) {…}`. Finds
 * the bundle's main function; throws an Error with a sentence if there is none.
 * - `run(command, paramsJson)`: calls main.
 * - `event(kind, id, json, bytes)`: `timer` fires timer `id`; `response` ends request `id` with `{status, statusText,
 * rawHeaders}` and a body; `failure` ends request `id` with `{code, message}`.
 *
 * The guest calls the host with `post(kind, id, text, bytes)`:
 * - `timer` id, milliseconds as text (`0` is an immediate); `clear` id
 * - `request` id, JSON `{method, url, headers: {name: string | string[]}, decompress: boolean}`, body bytes or
 * undefined
 * - `abort` id: the guest aborted request `id`
 * - `random` 0, number of bytes as text: returns that many bytes of entropy in hex, for crypto or to seed Math.random
 * - `decode` 1 (fatal) or 0, `utf-8`, `utf-16le` or `windows-1252`, bytes: returns the text, as an ArrayBuffer of UTF-16 if it
 * contains U+0000, or undefined if `fatal` and invalid
 * - `unbrotli` the most bytes of output (0: as many as the host allows), nothing, a Brotli stream: returns its bytes, or
 * JSON `{name, message, code, errno}` of Node's error
 * - `sign` 0, algorithm and private key, bytes or undefined: returns a signature; see `sign.ts`
 * - `log` 0: a line of console output was dropped
 * - `exit` code: the guest called process.exit or abort
 * - `done` 0, result as JSON text (`undefined` results are `null`)
 * - `fail` 0, JSON `{name, message, kind}`: `kind` is `threw`, or `output` when the result cannot be serialized as JSON
 */
export type HostCallKind =
  | 'timer'
  | 'clear'
  | 'request'
  | 'abort'
  | 'random'
  | 'decode'
  | 'unbrotli'
  | 'sign'
  | 'log'
  | 'exit'
  | 'done'
  | 'fail'
export type GuestEventKind = 'timer' | 'response' | 'failure'

export interface GuestRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly decompress: boolean
}

/** An event for the guest; see `host-bindings.ts`. */
export interface GuestEvent {
  readonly kind: GuestEventKind
  readonly id: number
  readonly json?: string
  readonly bytes?: ArrayBuffer
}

/** A string of the guest. It is copied only when read, so that its length can be checked first. */
export interface GuestText {
  readonly length: number
  read(): string
}

const MAX_TEXT_LENGTH = 2000

/** Measures a string of the guest without copying it. Anything that is not a string has length 0. */
function readGuestText(context: QuickJSContext, handle: QuickJSHandle | undefined): GuestText {
  if (handle === undefined || context.typeof(handle) !== 'string') return EMPTY_TEXT
  const length = context.getProp(handle, 'length').consume((value) => context.getNumber(value))
  return { length, read: () => context.getString(handle) }
}

/** Name and message of a value that the guest threw, at most 2,000 characters each. May run getters of the guest. */
export function formatThrownValue(context: QuickJSContext, thrownValue: QuickJSHandle): string {
  const type = context.typeof(thrownValue)
  if (type === 'string') return truncate(readGuestText(context, thrownValue))
  if (type !== 'object' && type !== 'function') return `a value of type ${type}`
  const name = readProperty(context, thrownValue, 'name')
  const message = readProperty(context, thrownValue, 'message')
  return name === '' || name === 'Error' ? message : `${name}: ${message}`
}

/** Returns true if the text of an error is QuickJS's own out-of-memory error. */
export function isOutOfMemoryMessage(text: string): boolean {
  return /^(InternalError: )?out of memory$/.test(text)
}

const EMPTY_TEXT: GuestText = { length: 0, read: () => '' }

function readProperty(context: QuickJSContext, object: QuickJSHandle, name: string): string {
  return context.getProp(object, name).consume((value) => truncate(readGuestText(context, value)))
}

function truncate(text: GuestText): string {
  return text.length > 64 * MAX_TEXT_LENGTH
    ? 'a very long text'
    : text.read().slice(0, MAX_TEXT_LENGTH)
}

/** Handles a call from the guest. A returned string is passed to the guest; an error is thrown there. */
export type HostCallHandler = (
  kind: string,
  id: number,
  text: GuestText,
  bytes: Uint8Array | undefined,
) => string | undefined

/**
 * Reads the arguments of a call from the guest, which may have any type, and returns the result to it.
 *
 * @param mustStop whether the guest has been stopped, or, if its clock is read, has to be. From then on the host does nothing for it,
 * not even take its result. The engine asks only once in 10,000 operations, which could be as many computations of the host.
 */
export function handleHostCall(
  context: QuickJSContext,
  onHostCall: HostCallHandler | undefined,
  mustStop: (readsClock: boolean) => boolean,
  [kind, id, text, bytes]: QuickJSHandle[],
): QuickJSHandle | { error: QuickJSHandle } {
  try {
    const name = readGuestText(context, kind).read()
    const body =
      bytes !== undefined && context.typeof(bytes) === 'object'
        ? context.getArrayBuffer(bytes).consume((view: { value: Uint8Array }) => view.value.slice())
        : undefined
    const number = id !== undefined && context.typeof(id) === 'number' ? context.getNumber(id) : 0
    if (mustStop(COMPUTED_BY_HOST.has(name))) throw new Error('the call was stopped')
    if (name === 'unbrotli') return decodeBrotli(context, body, number)
    const argument = readGuestText(context, text)
    if (name === 'decode') return decodeText(context, body, argument, number !== 0)
    const returned = onHostCall?.(name, number, argument, body)
    return returned === undefined ? context.undefined : context.newString(returned)
  } catch (error) {
    return { error: context.newError(error instanceof Error ? error.message : 'refused') }
  }
}

const COMPUTED_BY_HOST: ReadonlySet<string> = new Set(['decode', 'unbrotli', 'sign'])

function decodeText(
  context: QuickJSContext,
  bytes: Uint8Array | undefined,
  label: GuestText,
  fatal: boolean,
): QuickJSHandle {
  const encoding = ENCODINGS.find((each) => label.length < 20 && each === label.read())
  if (bytes === undefined || encoding === undefined) return context.undefined
  let decoded: string
  try {
    decoded = new TextDecoder(encoding, { fatal, ignoreBOM: true }).decode(bytes)
  } catch {
    return context.undefined
  }
  // `newString` would truncate it.
  if (decoded.includes('\0'))
    return context.newArrayBuffer(new Uint8Array(Buffer.from(decoded, 'utf16le')).buffer)
  return context.newString(decoded)
}

const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252']

/** Decoding this much of zeros, random bytes or words takes a fifth of a second. */
const MAX_DECODED_BYTES = 16 * 1024 * 1024
/**
 * Decoding cannot be interrupted, though its time counts as computing of the call: a stream of this length takes a second at
 * most. The slowest are blocks of one byte with 256 types each.
 */
const MAX_STREAM_BYTES = 512 * 1024

function decodeBrotli(
  context: QuickJSContext,
  stream: Uint8Array = new Uint8Array(),
  asked: number,
): QuickJSHandle {
  const maxOutputLength = Math.min(asked > 0 ? asked : MAX_DECODED_BYTES, MAX_DECODED_BYTES)
  let decoded: Uint8Array
  try {
    if (stream.length > MAX_STREAM_BYTES) throw new StreamTooLargeError()
    decoded = brotliDecompressSync(stream, { maxOutputLength })
  } catch (error) {
    const { name, message, code, errno } = error as NodeJS.ErrnoException
    return context.newString(JSON.stringify({ name, message, code, errno }))
  }
  return context.newArrayBuffer(new Uint8Array(decoded).buffer)
}

/** With the code of Node's own limit. */
class StreamTooLargeError extends RangeError {
  readonly code = 'ERR_BUFFER_TOO_LARGE'

  constructor() {
    super(`Cannot decode a stream larger than ${MAX_STREAM_BYTES} bytes`)
  }
}
