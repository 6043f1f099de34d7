import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A grant: what a person once consented to. */
export interface Family {
  refreshToken: string
  accessToken: string
  isDead: boolean
  /** Refresh tokens that were replaced, and when. */
  readonly replaced: Map<string, number>
}

/** One request as it arrived. */
export interface ProviderRequest {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** What the token endpoint does with a request, before or after it has rotated. Answers whether it has replied. */
export type Meddle = (response: ServerResponse) => boolean | Promise<boolean>

/**
 * A provider that rotates refresh tokens and kills the family when an old one comes back, over real HTTP. Its API at
 * `/me` takes the newest access token of a living family only.
 */
export interface StrictProvider {
  readonly url: string
  /** Requests at the token endpoint so far. */
  readonly calls: string[]
  /** All requests so far. */
  readonly requests: ProviderRequest[]
  readonly families: Family[]
  expiresIn: number | undefined
  /** What it says beside tokens. */
  facts: Readonly<Record<string, unknown>>
  /** For how long a replaced refresh token still works, in milliseconds. */
  graceMs: number
  beforeRotation: Meddle | undefined
  afterRotation: Meddle | undefined
  newFamily(): Family
  /** How often an old refresh token came back too late. */
  readonly kills: () => number
  readonly revoked: string[]
  /** The clients that asked for it. */
  readonly revokers: string[]
  close(): Promise<void>
}

export async function startStrictProvider(): Promise<StrictProvider> {
  const families: Family[] = []
  let count = 0
  let kills = 0
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
    revokers: [],
    expiresIn: 3_600,
    facts: {},
    graceMs: 0,
    beforeRotation: undefined,
    afterRotation: undefined,
    kills: () => kills,
    newFamily() {
      const family: Family = { ...issue(), isDead: false, replaced: new Map() }
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
    const text = await textOf(request)
    const { method, headers, url = '' } = request
    provider.requests.push({ method, url, headers, text })
    const body = new URLSearchParams(text)
    if (url.startsWith('/token')) await token(refreshTokenOf(request, text), response)
    else if (request.url === '/revoke') {
      provider.revokers.push(body.get('client_id') ?? '')
      provider.revoked.push(`${body.get('token_type_hint')} ${body.get('token')}`)
      response.end()
    } else if (request.url === '/me') me(request, response)
    else response.writeHead(404).end()
  }

  async function token(given: string, response: ServerResponse): Promise<void> {
    provider.calls.push(given)
    if (await provider.beforeRotation?.(response)) return
    const family = families.find((one) => one.refreshToken === given || one.replaced.has(given))
    if (family === undefined || family.isDead || isTooLate(family, given))
      return answer(response, 400, { error: 'invalid_grant' })
    if (family.refreshToken === given) {
      family.replaced.set(given, Date.now())
      Object.assign(family, issue())
    }
    if (await provider.afterRotation?.(response)) return
    answer(response, 200, {
      access_token: family.accessToken,
      refresh_token: family.refreshToken,
      token_type: 'Bearer',
      ...provider.facts,
      ...(provider.expiresIn === undefined ? {} : { expires_in: provider.expiresIn }),
    })
  }

  function isTooLate(family: Family, given: string): boolean {
    const replacedAt = family.replaced.get(given)
    if (replacedAt === undefined || Date.now() - replacedAt < provider.graceMs) return false
    kills += 1
    family.isDead = true
    return true
  }

  function me(request: IncomingMessage, response: ServerResponse): void {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const isKnown = families.some((one) => !one.isDead && one.accessToken === bearer)
    answer(response, isKnown ? 200 : 401, { isKnown })
  }
}

/** From JSON, a form, the query or HTTP Basic. */
function refreshTokenOf({ url = '', headers }: IncomingMessage, text: string): string {
  if (text.startsWith('{')) return JSON.parse(text).refresh_token ?? ''
  const query = new URL(url, 'http://provider').searchParams
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const password = Buffer.from(basic, 'base64').toString().split(':')[1]
  const given = new URLSearchParams(text).get('refresh_token') ?? query.get('refresh_token')
  return given ?? password ?? ''
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
