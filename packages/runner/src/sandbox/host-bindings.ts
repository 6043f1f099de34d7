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
 * - `decode` 0, nothing, bytes: returns them as UTF-8 text, or undefined when the guest has to decode them
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
