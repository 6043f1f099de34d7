import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressResponse } from '../egress/egress.ts'
import type { DeclaredDeps, DeclaredIntegration } from '../runner.ts'
import type { Outcome } from '../sandbox/messages.ts'
import { type Call, hasAllowedShape } from './call.ts'
import type { Relay, RelayedRequest, SocketFailure } from './relay.ts'

/** Events of the calls in this process, for the pool. */
export interface HostEvents {
  /** A call has left. */
  onCallEnded(call: Call): void
  /** A call computed without a pause, for so many milliseconds. */
  onComputed(call: Call, ms: number): void
  /** A call would take the time of others here. It has sent nothing but GET and HEAD. */
  onSandboxNeeded(call: Call): void
  /** A call may start in the place of another one. */
  onIdle(): void
}

/**
 * Runs integrations that are data in this process, with the requests, limits and results of calls in a child. Their code is
 * ours and linear, so it needs no sandbox; what a provider returns is bounded here, because all workspaces share this thread.
 */
export class HostCalls {
  readonly #relay: Relay
  readonly #events: HostEvents
  readonly #wallTimers = new Map<Call, NodeJS.Timeout>()

  constructor(relay: Relay, events: HostEvents) {
    this.#relay = relay
    this.#events = events
  }

  start(call: Call, declared: DeclaredIntegration): void {
    call.startAttempt()
    call.hasStarted = true
    const timer = setTimeout(() => this.#leave(call, () => call.failTimedOut()), call.limits.wallMs)
    this.#wallTimers.set(call, timer)
    void call.runAsCaller(() => this.#run(call, declared))
  }

  /** Fails all calls. */
  close(error: () => Error): void {
    for (const call of [...this.#wallTimers.keys()]) this.#leave(call, () => call.fail(error()))
  }

  async #run(call: Call, declared: DeclaredIntegration): Promise<void> {
    const stretch = new Stretch((ms) => this.#events.onComputed(call, ms))
    const params = JSON.parse(call.params)
    const outcome = await runSafely(() =>
      declared.run(call.command, params, this.#createDeps(call, stretch)),
    )
    stretch.end()
    this.#leave(call, () =>
      call.finish({
        outcome: limitResult(outcome, call),
        // As in the sandbox: the other commands read the clock when they start.
        isDeterministic: call.command === 'SPEC',
      }),
    )
  }

  #createDeps(call: Call, stretch: Stretch): DeclaredDeps {
    return {
      now: Date.now,
      wait: async (milliseconds) => {
        stretch.end()
        await sleep(milliseconds, undefined, { signal: call.abortController.signal })
        stretch.begin()
      },
      fetch: async (input, init) => {
        const request = toRelayedRequest(String(input), init)
        stretch.end()
        const response = await this.#send(call, request, init?.signal)
        stretch.begin()
        return response
      },
    }
  }

  async #send(
    call: Call,
    request: RelayedRequest,
    timeout: AbortSignal | null | undefined,
  ): Promise<Response> {
    const attemptSignal = call.abortController.signal
    const signal = timeout ? AbortSignal.any([timeout, attemptSignal]) : attemptSignal
    const oversize = findOversize(call, request)
    const relayed = oversize ? { error: oversize } : await this.#relay.send(call, request, signal)
    if (relayed === 'rejected') this.#leave(call, () => {})
    if (typeof relayed === 'string') return NEVER
    timeout?.throwIfAborted()
    if ('error' in relayed) throw toFetchError(relayed.error)
    const { response } = relayed
    const body = WITHOUT_BODY.has(response.status) ? EMPTY : response.body
    const text = decodeBounded(body)
    if (text !== undefined) return new ReadResponse(response, text)
    if (call.hasSideEffects) {
      call.recordExchange('refused')
      throw toFetchError({ code: 'ERR_RESPONSE_TOO_LARGE', message: 'The response is too large.' })
    }
    this.#leave(call, () => this.#events.onSandboxNeeded(call))
    return NEVER
  }

  /** Does nothing if the call has left before. */
  #leave(call: Call, settle: () => void): void {
    const timer = this.#wallTimers.get(call)
    if (timer === undefined) return
    clearTimeout(timer)
    this.#wallTimers.delete(call)
    this.#events.onCallEnded(call)
    settle()
    this.#events.onIdle()
  }
}

/** A response that a call no longer waits for. */
const NEVER = new Promise<never>(() => {})

/** Measures for how long a call computes: from the start or a response to the next wait. */
class Stretch {
  readonly #report: (ms: number) => void
  #since = performance.now()

  constructor(report: (ms: number) => void) {
    this.#report = report
  }

  begin(): void {
    this.#since = performance.now()
  }

  end(): void {
    this.#report(performance.now() - this.#since)
  }
}

async function runSafely(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    const json: string | undefined = JSON.stringify(await run())
    return json === undefined ? { ok: false, reason: 'output', message: '' } : { ok: true, json }
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    const sentence = name === 'Error' ? message : `${name}: ${message}`
    return { ok: false, reason: 'threw', message: sentence.slice(0, MAX_MESSAGE_CHARS) }
  }
}

const MAX_MESSAGE_CHARS = 2_000

function limitResult(outcome: Outcome, { limits }: Call): Outcome {
  return outcome.ok && Buffer.byteLength(outcome.json) > limits.resultBytes
    ? { ok: false, reason: 'size', message: '' }
    : outcome
}

/** The request that `fetch` of the sandbox would send. @throws TypeError as `fetch` does */
function toRelayedRequest(url: string, { method = 'GET', headers, body }: RequestInit = {}) {
  const target = new URL(url)
  if (`${target.username}${target.password}` !== '')
    throw new TypeError('The URL of a request must not contain credentials.')
  if (!/^https?:$/.test(target.protocol))
    throw new TypeError('fetch failed', { cause: new Error('unknown scheme') })
  target.hash = ''
  return {
    method: method.toUpperCase(),
    url: target.href,
    headers: toHeaders(headers as Readonly<Record<string, string>>),
    body: typeof body === 'string' && body !== '' ? Buffer.from(body) : undefined,
    decompress: true,
  } satisfies RelayedRequest
}

/** In the spelling that was used first, followed by the headers that Node adds. @throws TypeError for one that cannot be sent */
function toHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const values = new Headers()
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(given)) {
    values.append(name, value)
    const key = name.toLowerCase()
    if (!names.has(key)) names.set(key, name)
    if (UNSENDABLE.test(values.get(key) ?? '')) throw new TypeError(`${name} cannot be sent.`)
  }
  const sent = Object.fromEntries([...names].map(([key, name]) => [name, values.get(key) ?? '']))
  for (const [name, value] of Object.entries(DEFAULT_HEADERS))
    if (!names.has(name)) sent[name] = value
  return sent
}

/** As in `../guest/net/headers.js` (RFC 9110, section 5.5). */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** As in `../guest/web/fetch.js`. */
const DEFAULT_HEADERS = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
}

/** The error for a request that the sandbox would not send either. */
function findOversize({ limits }: Call, request: RelayedRequest): SocketFailure | undefined {
  const { url, headers = {}, body } = request
  const chars = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    url.length,
  )
  return chars > MAX_HEAD_CHARS || (body?.byteLength ?? 0) > limits.requestBytes
    ? { code: 'ERR_LIMIT_REQUEST_SIZE', message: 'The request is too large.' }
    : undefined
}

/** As in `../sandbox/pending-requests.ts`. */
const MAX_HEAD_CHARS = 128 * 1024

function toFetchError({ code, message }: SocketFailure): TypeError {
  const cause = { code: code === 'ECONNRESET' ? 'UND_ERR_SOCKET' : code }
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), cause) })
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])
const EMPTY = new Uint8Array()

/** The text of a body; undefined if parsing it as JSON could take more than a few milliseconds. */
function decodeBounded(body: Uint8Array): string | undefined {
  if (body.byteLength > MAX_BODY_BYTES) return undefined
  const text = new TextDecoder().decode(body)
  return /^\s*[[{]/.test(text) && !hasAllowedShape(text) ? undefined : text
}

const MAX_BODY_BYTES = 1024 * 1024

/** A response whose body has arrived: it needs no stream, and each copy reads the same text. */
class ReadResponse extends Response {
  override readonly status: number
  override readonly ok: boolean
  override readonly headers: Headers
  override bodyUsed = false
  readonly #rawHeaders: readonly string[]
  readonly #text: string

  constructor({ status, rawHeaders }: Pick<EgressResponse, 'status' | 'rawHeaders'>, text: string) {
    super()
    this.status = status
    this.ok = status >= 200 && status < 300
    this.headers = new Headers()
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      this.headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    this.#rawHeaders = rawHeaders
    this.#text = text
  }

  override readonly clone = (): Response =>
    new ReadResponse({ status: this.status, rawHeaders: this.#rawHeaders }, this.#text)

  override readonly text = async (): Promise<string> => {
    this.bodyUsed = true
    return this.#text
  }
}
