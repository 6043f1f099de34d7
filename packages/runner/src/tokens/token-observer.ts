import { GateError } from '../egress/gate-error.ts'
import type { GateRequest, GateResponse } from '../egress/gate-types.ts'
import { encodersFor } from '../secret-encodings.ts'
import { contains } from './contains.ts'
import { areReusable, findIssuedToken, type IssuedToken } from './issued-token.ts'
import { isRefreshTokenName, refreshTokensIn, textsIn } from './refresh-tokens-in.ts'
import { readTokenRequest, type TokenRequest } from './token-request.ts'
import { readText, readTokenResponse, type TokenResponse } from './token-response.ts'

/** The newest tokens that a bundle got for a refresh token of its configuration. */
export interface ObservedTokens {
  /** The refresh token that stands in the configuration. */
  readonly given: string
  readonly accessToken: string
  /** In place of `given` from now on; undefined when the provider left that one as it is. */
  readonly refreshToken: string | undefined
  /** The life of the access token, in seconds; undefined when the provider did not say. */
  readonly expiresIn: number | undefined
}

/** What the relay knows of a request that it is about to send. */
export interface Sending {
  /** Whether the body of the response comes decompressed. */
  readonly isDecoded: boolean
  /** The bundle no longer wants the response. */
  readonly signal: AbortSignal
  send(signal?: AbortSignal): Promise<GateResponse>
}

/**
 * Observes, outside the jail, how a bundle refreshes the tokens of one configuration. Serves one call, or several of one
 * check. A second refresh with the same token gets the first response, byte for byte: a provider that rotates refresh
 * tokens ends the grant when one comes twice.
 */
export class TokenObserver {
  readonly #onTokens: (tokens: ObservedTokens) => Promise<void>
  readonly #texts: ReadonlySet<string>
  /** Refresh tokens, and the token of the configuration that each came from. */
  readonly #known = new Map<string, string>()
  readonly #encodings = new Map<string, readonly string[]>()
  readonly #latest = new Map<string, ObservedTokens>()
  /** Refreshes that run, and those that brought tokens, by token and request. */
  readonly #refreshes = new Map<string, Promise<GateResponse | undefined>>()
  readonly #pending = new Set<Promise<unknown>>()
  readonly #watchesResponses: boolean
  /** The last JSON responses, where they are watched. */
  #responses: string[] = []

  /**
   * @param onTokens resolves once tokens are stored; the bundle waits for it
   * @param options `watchesResponses`: `issuedToken` is going to be called
   */
  constructor(
    config: unknown,
    onTokens: (tokens: ObservedTokens) => Promise<void>,
    { watchesResponses = false } = {},
  ) {
    this.#onTokens = onTokens
    this.#watchesResponses = watchesResponses
    this.#texts = new Set(textsIn(config).map(([, text]) => text))
    for (const token of refreshTokensIn(config)) this.#learn(token, token)
  }

  /** The newest tokens, one entry for each refresh token of the configuration that was used. */
  get tokens(): readonly ObservedTokens[] {
    return [...this.#latest.values()]
  }

  /** Resolves when no refresh is under way. One that was sent runs to its end, whatever becomes of the call. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  /**
   * The token that a provider issued during the call and that these headers carry; undefined when they carry none, or more that
   * changes with each call. `now` in epoch milliseconds.
   */
  issuedToken(headers: Readonly<Record<string, string>>, now: number): IssuedToken | undefined {
    const values = Object.values(headers)
    const issued = findIssuedToken(this.#responses, values, this.#texts, now)
    return issued && areReusable(headers, issued.value, this.#texts) ? issued : undefined
  }

  /** Sends a request of the bundle. @throws what `sending.send` throws */
  async send(request: GateRequest, sending: Sending): Promise<GateResponse> {
    const response = await this.#send(request, sending)
    if (!this.#watchesResponses) return response
    const text = await readText(response, sending.isDecoded)
    if (text !== undefined && /^\s*[[{"]/.test(text))
      this.#responses = [...this.#responses, text].slice(-MOST_RESPONSES)
    return response
  }

  async #send(request: GateRequest, sending: Sending): Promise<GateResponse> {
    if (this.#texts.size === 0) return sending.send(sending.signal)
    const read = readTokenRequest(request)
    const token = this.#tokenIn(read)
    if (token === undefined) return sending.send(sending.signal)
    const key = `${token} ${read.key(new Set([...this.#texts, token]))}`
    const refresh = this.#refresh(key, token, sending)
    this.#pending.add(refresh)
    refresh.finally(() => this.#pending.delete(refresh)).catch(() => {})
    return unlessAborted(refresh, sending.signal)
  }

  async #refresh(key: string, token: string, sending: Sending): Promise<GateResponse> {
    const earlier = await this.#refreshes.get(key)
    if (earlier !== undefined) return earlier
    const running = this.#refreshes.get(key)
    // Another that waited for the same failure is on its way already.
    if (running !== undefined) return (await running) ?? this.#refresh(key, token, sending)
    const { promise, resolve } = Promise.withResolvers<GateResponse | undefined>()
    this.#refreshes.set(key, promise)
    let response: GateResponse | undefined
    let tokens: TokenResponse | undefined
    try {
      response = await sending.send()
      tokens = await readTokenResponse(response, sending.isDecoded)
      if (tokens !== undefined) await this.#keep(token, tokens)
      return response
    } finally {
      if (tokens === undefined || this.#refreshes.size > MOST_REFRESHES) this.#refreshes.delete(key)
      resolve(tokens === undefined ? undefined : response)
    }
  }

  async #keep(
    token: string,
    { accessToken, refreshToken, expiresIn }: TokenResponse,
  ): Promise<void> {
    const given = this.#known.get(token) ?? token
    const before = token === given ? this.#latest.get(given)?.refreshToken : token
    const newest = refreshToken === given ? undefined : (refreshToken ?? before)
    if (newest !== undefined) this.#learn(newest, given)
    const kept = { given, accessToken, refreshToken: newest, expiresIn }
    this.#latest.set(given, kept)
    // What could not be stored now is stored with the result of the call.
    await this.#onTokens(kept).catch(() => {})
  }

  #learn(token: string, given: string): void {
    if (this.#known.size < MOST_KNOWN && !this.#known.has(token)) this.#known.set(token, given)
  }

  /** The refresh token that a request carries. The newest comes first: one may be part of another. */
  #tokenIn(request: TokenRequest): string | undefined {
    for (const { name, value } of request.parameters) {
      const isNamed = isRefreshTokenName(name) && this.#texts.has(value)
      if (isNamed) this.#learn(value, value)
      if (this.#known.has(value)) return value
    }
    return [...this.#known.keys()]
      .reverse()
      .find((token) => this.#encodingsOf(token).some((form) => isIn(request, form)))
  }

  #encodingsOf(token: string): readonly string[] {
    if (token.length < LEAST_SOUGHT || token.length > MOST_SOUGHT) return []
    const known = this.#encodings.get(token)
    if (known !== undefined) return known
    const forms = [...new Set(encodersFor(token).map((encode) => encode(token)))]
    this.#encodings.set(token, forms)
    return forms
  }
}

function isIn({ parameters, texts }: TokenRequest, form: string): boolean {
  return (
    texts.some((text) => contains(text, form)) || parameters.some(({ value }) => value === form)
  )
}

/** The bundle's own end of a request; the request goes on. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const end = () => reject(new GateError('aborted', 'the bundle aborted'))
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Shorter ones are found where they are a whole value only. */
const LEAST_SOUGHT = 12
const MOST_SOUGHT = 16_384
const MOST_KNOWN = 16
const MOST_REFRESHES = 16
const MOST_RESPONSES = 5
