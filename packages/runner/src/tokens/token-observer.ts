import { untilAborted } from '../egress/deadline.ts'
import { EgressError, type EgressRequest, type EgressResponse } from '../egress/egress.ts'
import { areHeadersReusable, findIssuedToken, type IssuedToken } from './issued-token.ts'
import {
  containsForm,
  listSearchedForms,
  readTokenRequest,
  type SearchableRequest,
} from './searchable-request.ts'
import { readResponseText, readTokenResponse, type TokenResponse } from './token-response.ts'

/** The newest tokens that a bundle got for a refresh token in its configuration. */
export interface ObservedTokens {
  /** The refresh token in the configuration. */
  readonly configuredToken: string
  readonly accessToken: string
  /** Replaces `configuredToken` from now on; undefined if the provider did not rotate it. */
  readonly refreshToken: string | undefined
  /** Lifetime of the access token, in seconds; undefined if the provider did not specify it. */
  readonly expiresIn: number | undefined
}

/** A request that the relay is about to send. */
export interface ObservedSend {
  /** Whether the body of the response is decompressed. */
  readonly isDecoded: boolean
  /** Aborted when the bundle no longer needs the response. */
  readonly signal: AbortSignal
  send(signal?: AbortSignal): Promise<EgressResponse>
}

const MAX_ENTRIES = 1_000

/**
 * Observes, outside the sandbox, how a bundle refreshes the tokens of one configuration. Used for one call, or for several
 * calls of one check. A second refresh with the same token gets the first response, byte for byte: a provider that
 * rotates refresh tokens revokes the grant when one is used twice.
 */
export class TokenObserver {
  readonly #onTokens: (tokens: ObservedTokens) => Promise<void>
  readonly #configStrings: ReadonlySet<string>
  /** Refresh tokens, each with the token of the configuration that it replaces. */
  readonly #originalTokens = new Map<string, string>()
  readonly #encodings = new Map<string, readonly string[]>()
  readonly #latest = new Map<string, ObservedTokens>()
  /** Refreshes in flight, and those that returned tokens, by token and request. */
  readonly #refreshes = new Map<string, Promise<EgressResponse | undefined>>()
  readonly #pending = new Set<Promise<unknown>>()
  readonly #watchesResponses: boolean
  readonly #now: () => number
  /** The last JSON responses, if they are watched. */
  #responses: string[] = []

  /**
   * @param onTokens resolves once tokens are stored; the bundle waits for it
   * @param options `watchesResponses`: `issuedToken` is going to be called; `now`: epoch milliseconds
   */
  constructor(
    config: unknown,
    onTokens: (tokens: ObservedTokens) => Promise<void>,
    { watchesResponses = false, now = Date.now } = {},
  ) {
    this.#onTokens = onTokens
    this.#watchesResponses = watchesResponses
    this.#now = now
    this.#configStrings = new Set(listStringEntries(config).map(([, text]) => text))
    for (const token of findRefreshTokens(config)) this.#addToken(token, token)
  }

  /** The newest tokens, one entry for each refresh token of the configuration that was used. */
  get tokens(): readonly ObservedTokens[] {
    return [...this.#latest.values()]
  }

  /** Resolves when no refresh is in flight. A refresh that was sent runs to its end, even if the call ends before. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  /**
   * The token that a provider issued during the call and that these headers contain; undefined if they contain none, or
   * other values that change with each call. `now` in epoch milliseconds.
   */
  issuedToken(headers: Readonly<Record<string, string>>, now: number): IssuedToken | undefined {
    const values = Object.values(headers)
    const issued = findIssuedToken(this.#responses, values, this.#configStrings, now)
    return issued && areHeadersReusable(headers, issued.value, this.#configStrings)
      ? issued
      : undefined
  }

  /** Sends a request of the bundle. @throws what `sending.send` throws */
  async send(request: EgressRequest, observedSend: ObservedSend): Promise<EgressResponse> {
    const response = await this.#send(request, observedSend)
    if (!this.#watchesResponses) return response
    const text = await readResponseText(response, observedSend.isDecoded)
    if (text !== undefined && /^\s*[[{"]/.test(text))
      this.#responses = keepLast([...this.#responses, text])
    return response
  }

  async #send(request: EgressRequest, observedSend: ObservedSend): Promise<EgressResponse> {
    if (this.#configStrings.size === 0) return observedSend.send(observedSend.signal)
    const tokenRequest = readTokenRequest(request)
    const token = this.#tokenIn(tokenRequest)
    if (token === undefined) return observedSend.send(observedSend.signal)
    const key = `${token} ${tokenRequest.key(new Set([...this.#configStrings, token]))}`
    const refresh = this.#refresh(key, token, observedSend)
    this.#pending.add(refresh)
    refresh.finally(() => this.#pending.delete(refresh)).catch(() => {})
    // Only the bundle's wait ends; the request continues.
    const reason = new EgressError('aborted', 'the bundle aborted')
    return untilAborted(observedSend.signal, refresh, reason)
  }

  async #refresh(key: string, token: string, observedSend: ObservedSend): Promise<EgressResponse> {
    const previousResponse = await this.#refreshes.get(key)
    if (previousResponse !== undefined) return previousResponse
    const running = this.#refreshes.get(key)
    // Another request that waited for the same failure was sent meanwhile.
    if (running !== undefined) return (await running) ?? this.#refresh(key, token, observedSend)
    const { promise, resolve } = Promise.withResolvers<EgressResponse | undefined>()
    this.#refreshes.set(key, promise)
    let response: EgressResponse | undefined
    let tokens: TokenResponse | undefined
    try {
      response = await observedSend.send()
      tokens = await readTokenResponse(response, observedSend.isDecoded, this.#now())
      if (tokens !== undefined) await this.#recordTokens(token, tokens)
      return response
    } finally {
      if (tokens === undefined || this.#refreshes.size > MAX_REFRESHES) this.#refreshes.delete(key)
      resolve(tokens === undefined ? undefined : response)
    }
  }

  async #recordTokens(
    token: string,
    { accessToken, refreshToken, expiresIn }: TokenResponse,
  ): Promise<void> {
    const configuredToken = this.#originalTokens.get(token) ?? token
    const previousRefreshToken =
      token === configuredToken ? this.#latest.get(configuredToken)?.refreshToken : token
    const newest =
      refreshToken === configuredToken ? undefined : (refreshToken ?? previousRefreshToken)
    if (newest !== undefined) this.#addToken(newest, configuredToken)
    const observed = { configuredToken, accessToken, refreshToken: newest, expiresIn }
    this.#latest.set(configuredToken, observed)
    // Tokens that could not be stored now are stored with the result of the call.
    await this.#onTokens(observed).catch(() => {})
  }

  #addToken(token: string, configuredToken: string): void {
    if (this.#originalTokens.size < MAX_KNOWN_TOKENS && !this.#originalTokens.has(token))
      this.#originalTokens.set(token, configuredToken)
  }

  /** The refresh token in a request. The newest comes first: one may be part of another. */
  #tokenIn(request: SearchableRequest): string | undefined {
    for (const { name, value } of request.parameters) {
      const isNamed = isRefreshTokenName(name) && this.#configStrings.has(value)
      if (isNamed) this.#addToken(value, value)
      if (this.#originalTokens.has(value)) return value
    }
    return [...this.#originalTokens.keys()]
      .reverse()
      .find((token) => this.#encodingsOf(token).some((form) => containsForm(request, form)))
  }

  #encodingsOf(token: string): readonly string[] {
    const known = this.#encodings.get(token)
    if (known !== undefined) return known
    const forms = listSearchedForms(token)
    this.#encodings.set(token, forms)
    return forms
  }
}

const MAX_KNOWN_TOKENS = 16
const MAX_REFRESHES = 16
const MAX_RESPONSES = 5
/** They are parsed in one go. */
const MAX_RESPONSES_LENGTH = 256 * 1024

function keepLast(responses: readonly string[]): string[] {
  let length = 0
  return responses
    .slice(-MAX_RESPONSES)
    .toReversed()
    .filter((text) => {
      length += text.length
      return length <= MAX_RESPONSES_LENGTH
    })
    .toReversed()
}

/** The values of a configuration, at any depth, whose names mark them as refresh tokens. */
export function findRefreshTokens(config: unknown): string[] {
  return listStringEntries(config).flatMap(([name, value]) =>
    isRefreshTokenName(name) ? [value] : [],
  )
}

/** `refresh_token`, `refreshToken`, `google-refresh-token`. */
export function isRefreshTokenName(name: string): boolean {
  return /refreshtoken$/.test(
    name
      .slice(-60)
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  )
}

/** Names and values of all non-empty strings of a configuration, at any depth; at most 1,000. */
export function listStringEntries(config: unknown): [string, string][] {
  const stack: [string, unknown][] = [['', config]]
  const entries: [string, string][] = []
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [name, value] = next
    if (entries.length >= MAX_ENTRIES) break
    if (typeof value === 'string' && value !== '') entries.push([name, value])
    else if (typeof value === 'object' && value !== null) stack.push(...Object.entries(value))
  }
  return entries
}
