import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A grant with its current tokens. */
export interface TokenFamily {
  refreshToken: string
  accessToken: string
  isRevoked: boolean
  /** Rotated refresh tokens, and when they were rotated. */
  readonly replaced: Map<string, number>
}

/** A received token request. */
export interface ProviderRequest {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Handles a token request before or after rotation. Returns whether it has responded. */
export type ResponseHook = (response: ServerResponse) => boolean | Promise<boolean>

/**
 * A provider that rotates refresh tokens and revokes the whole family when a rotated token is reused. Serves real HTTP.
 * Its API at `/me` accepts only the latest access token of a live family.
 */
export interface StrictProvider {
  readonly url: string
  /** All token requests so far. */
  readonly calls: string[]
  /** All requests so far. */
  readonly requests: ProviderRequest[]
  readonly families: TokenFamily[]
  expiresIn: number | undefined
  /** Additional parameters of the token response. */
  extraFields: Readonly<Record<string, unknown>>
  /** How long a rotated refresh token stays valid, in milliseconds. */
  graceMs: number
  beforeRotation: ResponseHook | undefined
  afterRotation: ResponseHook | undefined
  newFamily(): TokenFamily
  /** How often a rotated refresh token was reused after the grace period. */
  readonly reuseCount: () => number
  readonly revoked: string[]
  /** Tokens whose revocation fails with 503. */
  readonly refusedRevocations: Set<string>
  /** The client IDs of revocation requests. */
  readonly revokingClients: string[]
  close(): Promise<void>
}

export async function startStrictProvider(): Promise<StrictProvider> {
  const families: TokenFamily[] = []
  let count = 0
  let reuseCount = 0
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider: StrictProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    requests: [],
    families,
    revoked: [],
    refusedRevocations: new Set(),
    revokingClients: [],
    expiresIn: 3_600,
    extraFields: {},
    graceMs: 0,
    beforeRotation: undefined,
    afterRotation: undefined,
    reuseCount: () => reuseCount,
    newFamily() {
      const family: TokenFamily = { ...issue(), isRevoked: false, replaced: new Map() }
      families.push(family)
      return family
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return provider

  function issue() {
    count += 1
    return { refreshToken: `refresh-${count}-of-it`, accessToken: `access-${count}-of-it` }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request)
    const { method, headers, url = '' } = request
    provider.requests.push({ method, url, headers, text })
    const body = new URLSearchParams(text)
    if (url.startsWith('/token'))
      await handleTokenRequest(readRefreshToken(request, text), response)
    else if (request.url === '/revoke') {
      provider.revokingClients.push(body.get('client_id') ?? '')
      provider.revoked.push(`${body.get('token_type_hint')} ${body.get('token')}`)
      if (provider.refusedRevocations.has(body.get('token') ?? '')) response.writeHead(503)
      response.end()
    } else if (request.url === '/me') handleUserInfo(request, response)
    else response.writeHead(404).end()
  }

  async function handleTokenRequest(refreshToken: string, response: ServerResponse): Promise<void> {
    provider.calls.push(refreshToken)
    if (await provider.beforeRotation?.(response)) return
    const family = families.find(
      (one) => one.refreshToken === refreshToken || one.replaced.has(refreshToken),
    )
    if (family === undefined || family.isRevoked || isReplayTooLate(family, refreshToken))
      return sendJson(response, 400, { error: 'invalid_grant' })
    if (family.refreshToken === refreshToken) {
      family.replaced.set(refreshToken, Date.now())
      Object.assign(family, issue())
    }
    if (await provider.afterRotation?.(response)) return
    sendJson(response, 200, {
      access_token: family.accessToken,
      refresh_token: family.refreshToken,
      token_type: 'Bearer',
      ...provider.extraFields,
      ...(provider.expiresIn === undefined ? {} : { expires_in: provider.expiresIn }),
    })
  }

  function isReplayTooLate(family: TokenFamily, refreshToken: string): boolean {
    const replacedAt = family.replaced.get(refreshToken)
    if (replacedAt === undefined || Date.now() - replacedAt < provider.graceMs) return false
    reuseCount += 1
    family.isRevoked = true
    return true
  }

  function handleUserInfo(request: IncomingMessage, response: ServerResponse): void {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const isKnown = families.some((one) => !one.isRevoked && one.accessToken === bearer)
    sendJson(response, isKnown ? 200 : 401, { isKnown })
  }
}

/** Reads the parameters from JSON, a form, the query or HTTP Basic. */
function readRefreshToken({ url = '', headers }: IncomingMessage, text: string): string {
  if (text.startsWith('{')) return JSON.parse(text).refresh_token ?? ''
  const query = new URL(url, 'http://provider').searchParams
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const password = Buffer.from(basic, 'base64').toString().split(':')[1]
  const formToken = new URLSearchParams(text).get('refresh_token') ?? query.get('refresh_token')
  return formToken ?? password ?? ''
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
