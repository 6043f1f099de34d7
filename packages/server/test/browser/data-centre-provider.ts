import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An OAuth 2 provider that no catalogue has. The address of its API is a value of the token response, `api_domain`. */
export interface DataCentreProvider {
  readonly origin: string
  readonly client: { readonly id: string; readonly secret: string }
  /** The origin of the API, which is another server. */
  readonly apiDomain: string
  /** A token of Ada, without a sign-in. */
  issueToken(): string
  /** Grant types of the token requests that succeeded. */
  readonly grants: readonly string[]
  close(): Promise<void>
}

const ADA = { user: { id: 4711, name: 'Ada Lovelace', mail: 'ada@acme.example' } }

/** Starts the provider and its data centre. A person signs in with one button. */
export async function startDataCentreProvider(): Promise<DataCentreProvider> {
  const client = { id: 'acme-client', secret: randomUUID() }
  const codes = new Map<string, string>()
  const accessTokens = new Set<string>()
  const refreshTokens = new Set<string>()
  const grants: string[] = []
  const issue = (tokens: Set<string>) => {
    const token = randomUUID()
    tokens.add(token)
    return token
  }
  const dataCentre = createServer((request, response) => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const isKnown = accessTokens.has(token)
    if (request.url !== '/v2/me') return send(response, 404, { error: 'not_found' })
    return isKnown ? send(response, 200, ADA) : send(response, 401, { error: 'invalid_token' })
  })
  const apiDomain = await listen(dataCentre)
  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request))
    const grant = form.get('grant_type') ?? ''
    if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret)
      return send(response, 401, { error: 'invalid_client' })
    const code = form.get('code') ?? ''
    const isGranted =
      grant === 'authorization_code'
        ? codes.get(code) === form.get('redirect_uri') && codes.delete(code)
        : refreshTokens.delete(form.get('refresh_token') ?? '')
    if (!isGranted) return send(response, 400, { error: 'invalid_grant' })
    grants.push(grant)
    return send(response, 200, {
      access_token: issue(accessTokens),
      refresh_token: issue(refreshTokens),
      token_type: 'Bearer',
      expires_in: 1,
      api_domain: apiDomain,
    })
  }
  const authorize = (url: URL, response: ServerResponse) => {
    const redirectUri = url.searchParams.get('redirect_uri') ?? ''
    const code = randomUUID()
    codes.set(code, redirectUri)
    const state = url.searchParams.get('state') ?? ''
    const target = `${redirectUri}?${new URLSearchParams({ code, state })}`
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<!doctype html><title>Sign in to Acme</title><a id="allow" href="${target.replaceAll('&', '&amp;')}">Allow</a>`,
    )
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://provider')
    if (url.pathname === '/oauth/authorize') authorize(url, response)
    else if (url.pathname === '/oauth/token') void exchange(request, response)
    else send(response, 404, { error: 'not_found' })
  })
  return {
    origin: await listen(server),
    client,
    apiDomain,
    issueToken: () => issue(accessTokens),
    grants,
    async close() {
      for (const each of [server, dataCentre]) {
        each.closeAllConnections()
        each.close()
        await once(each, 'close')
      }
    },
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
