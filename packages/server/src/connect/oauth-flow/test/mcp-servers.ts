import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { CleanupScope } from '../../../integrations/oauth/test/servers.ts'
import { listen, readRequestText } from '../../../integrations/oauth/test/servers.ts'

type Json = Readonly<Record<string, unknown>>

/** How an authorization server behaves. Tests change it while it runs. */
export interface ServerSettings {
  /** Members of its metadata that differ from the usual ones; undefined removes one. */
  metadata: Record<string, unknown>
  /** The metadata document of a client whose ID is a URL; undefined if there is none. */
  readDocument: (url: string) => Promise<Json | undefined>
  /** The response to a registration. */
  register: (metadata: Json) => { readonly status: number; readonly body: Json }
  /** What the token endpoint answers instead of tokens. */
  refuseTokens: Json | undefined
  /** Whether authorization responses have `iss`. */
  sendsIss: boolean
}

/** An authorization server that consents to everything, and refuses what the standards forbid. */
export interface TestAuthorizationServer {
  readonly issuer: string
  readonly settings: ServerSettings
  /** All requests so far, such as `POST /as/token`. */
  readonly requests: string[]
  /** The bodies of all token and revocation requests so far. */
  readonly forms: Record<string, string>[]
  /** The registrations so far. */
  readonly registrations: Json[]
  /** The access tokens that are valid, with the resource for which each was issued. */
  readonly tokens: Map<string, string>
}

/**
 * Starts an authorization server with PKCE (RFC 7636), resources (RFC 8707), registration (RFC 7591), client ID metadata documents,
 * rotated refresh tokens and revocation, at an issuer with this path.
 */
export async function startAuthorizationServer(
  test: CleanupScope,
  path = '',
): Promise<TestAuthorizationServer> {
  const server = createServer()
  const origin = await listen(test, server)
  const issuer = `${origin}${path}`
  const clients = new Map<string, Json>()
  const codes = new Map<string, URLSearchParams>()
  const refreshTokens = new Map<string, string>()
  const state: TestAuthorizationServer = {
    issuer,
    requests: [],
    forms: [],
    registrations: [],
    tokens: new Map(),
    settings: {
      metadata: {},
      readDocument: async () => undefined,
      register: (metadata) => {
        const clientId = `client-${randomUUID()}`
        clients.set(clientId, metadata)
        return { status: 201, body: { ...metadata, client_id: clientId } }
      },
      refuseTokens: undefined,
      sendsIss: true,
    },
  }
  const authorize = async (url: URL, response: ServerResponse) => {
    const params = url.searchParams
    const clientId = params.get('client_id') ?? ''
    const client = clients.get(clientId) ?? (await state.settings.readDocument(clientId))
    const redirectUri = params.get('redirect_uri') ?? ''
    const isKnown = [client?.redirect_uris].flat().includes(redirectUri)
    if (!isKnown && client !== undefined) return respond(response, 400, { error: 'redirect_uri' })
    if (params.get('code_challenge_method') !== 'S256' || !params.has('resource'))
      return respond(response, 400, { error: 'invalid_request' })
    const code = randomUUID()
    codes.set(code, params)
    const target = new URL(redirectUri)
    target.searchParams.set('code', code)
    target.searchParams.set('state', params.get('state') ?? '')
    if (state.settings.sendsIss) target.searchParams.set('iss', issuer)
    response.writeHead(302, { location: target.href }).end()
  }
  const issue = (resource: string) => {
    const [access, refresh] = [`tk-${randomUUID()}`, `rt-${randomUUID()}`]
    state.tokens.set(access, resource)
    refreshTokens.set(refresh, resource)
    const tokens = { access_token: access, refresh_token: refresh }
    // As Notion says whose they are.
    const owner = { type: 'user', workspace: 'Pages of Acme' }
    return { ...tokens, token_type: 'Bearer', expires_in: 3_600, owner }
  }
  const exchange = (form: Record<string, string>, response: ServerResponse) => {
    if (state.settings.refuseTokens) return respond(response, 400, state.settings.refuseTokens)
    const { resource = '', code = '', refresh_token: refresh = '' } = form
    const request = codes.get(code)
    codes.delete(code)
    const verifier = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    const isCode =
      request?.get('code_challenge') === verifier && request.get('resource') === resource
    const isRefresh = refreshTokens.get(refresh) === resource
    refreshTokens.delete(refresh)
    if (!isCode && !isRefresh) return respond(response, 400, { error: 'invalid_grant' })
    return respond(response, 200, issue(resource))
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', origin)
    state.requests.push(`${request.method} ${url.pathname}`)
    if (url.pathname === `/.well-known/oauth-authorization-server${path}`)
      return respond(response, 200, { ...createMetadata(issuer), ...state.settings.metadata })
    if (url.pathname === `${path}/authorize`) return authorize(url, response)
    if (request.method !== 'POST') return respond(response, 404, {})
    const text = await readRequestText(request)
    if (url.pathname === `${path}/register`) {
      const metadata = JSON.parse(text) as Json
      state.registrations.push(metadata)
      const { status, body } = state.settings.register(metadata)
      return respond(response, status, body)
    }
    const form = Object.fromEntries(new URLSearchParams(text))
    state.forms.push({ ...form, authorization: request.headers.authorization ?? '' })
    if (url.pathname === `${path}/token`) return exchange(form, response)
    if (url.pathname !== `${path}/revoke`) return respond(response, 404, {})
    state.tokens.delete(form.token ?? '')
    refreshTokens.delete(form.token ?? '')
    return respond(response, 200, {})
  }
  server.on('request', (request, response) => void handle(request, response))
  return state
}

function createMetadata(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ['offline_access'],
  }
}

/** An MCP server. Tests change what it says. */
export interface TestMcpServer {
  /** The URL of the server. */
  readonly url: string
  readonly origin: string
  /** The protected resource metadata; undefined if there is none. */
  metadata: Record<string, unknown> | undefined
  /** Parameters of the challenge. */
  challenge: string
  /** Where its metadata are. */
  metadataPath: string
  /** Answers the requests of MCP that have a valid token. */
  serve: (request: IncomingMessage, response: ServerResponse) => unknown
  /** All requests so far: method, path and token. */
  readonly requests: { readonly request: string; readonly token: string | undefined }[]
}

/** Starts a server at `/mcp` that accepts the tokens of an authorization server that were issued for it. */
export async function startMcpServer(
  test: CleanupScope,
  { issuer, isValid }: { readonly issuer: string; readonly isValid: (token: string) => boolean },
): Promise<TestMcpServer> {
  const server = createServer()
  const origin = await listen(test, server)
  const url = `${origin}/mcp`
  const metadataPath = '/.well-known/oauth-protected-resource/mcp'
  const state: TestMcpServer = {
    url,
    origin,
    metadataPath,
    metadata: { resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] },
    challenge: `Bearer resource_metadata="${origin}${metadataPath}", scope="tools files"`,
    serve: (_request, response) => respond(response, 200, { jsonrpc: '2.0' }),
    requests: [],
  }
  server.on('request', (request, response) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    state.requests.push({ request: `${request.method} ${request.url}`, token })
    if (request.url === state.metadataPath && state.metadata !== undefined)
      return respond(response, 200, state.metadata)
    if (!request.url?.startsWith('/mcp')) return respond(response, 404, {})
    if (token !== undefined && isValid(token)) {
      // The check of the bundle is no request of MCP.
      if (request.headers.accept?.includes('text/event-stream'))
        return state.serve(request, response)
      return respond(response, 200, { jsonrpc: '2.0' })
    }
    response.setHeader('www-authenticate', state.challenge)
    return respond(response, 401, { error: 'invalid_token' })
  })
  return state
}

function respond(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The code of a definition whose server is a field, or this URL. */
export function createMcpBundle(serverUrl = `\${server_url}`, spec: Json = {}): string {
  const field = { type: 'string', format: 'uri', title: 'Server URL', 'x-secret': false }
  const isField = serverUrl.startsWith('$')
  const auth = {
    discovery: 'mcp',
    server_url: serverUrl,
    api_base_url: serverUrl,
    headers: { Authorization: `Bearer \${access_token}` },
    'x-headers': 'complete',
    ...(isField && {
      input_specification: {
        type: 'object',
        required: ['server_url'],
        properties: { server_url: field },
      },
    }),
  }
  const target = isField ? 'config.server_url' : JSON.stringify(serverUrl)
  return `
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return ${JSON.stringify({ auth_specification: { OAuth2: auth }, ...spec })}
  if (command !== 'CHECK') return { status: false, error: 'Command not found' }
  const headers = { authorization: 'Bearer ' + config.access_token }
  const response = await fetch(${target}, { method: 'POST', headers, body: '{}' })
  return response.ok ? { status: true, error: '' } : { status: false, error: 'status ' + response.status }
}
`
}
