import {
  EgressError,
  type EgressGateway,
  getHeader,
  isListed,
  normalizeHost,
  type Tenant,
} from '@linchpin/runner'
import { isLoopbackHost } from '../../../platform/config/url.ts'
import { ApiError } from '../../../platform/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../platform/json.ts'
import { readBearerChallenges } from '../challenge.ts'
import {
  type AuthorizationServer,
  type DiscoveredServer,
  listEndpoints,
  MetadataError,
  parseAuthorizationServer,
  parsePlainUrl,
  quote,
  readTexts,
} from './authorization-server.ts'

/*
 * Finds the authorization server of an MCP server (MCP 2026-07-28, "Authorization"):
 *
 * 1. The server's 401 names the URL of its metadata (RFC 9728 section 5.1); otherwise they are below `/.well-known/`.
 * 2. Their `resource` is the server's URL, or a prefix of it on the same origin.
 * 3. The first authorization server that they name, and whose own metadata are usable, issues the tokens.
 *
 * Anyone may operate the servers that are read here. What they say decides where people sign in, but each document counts only for what
 * its own URL proves, and all requests go through the egress gateway: at most eight, in ten seconds, of 256 kB each, without redirects.
 */

export interface DiscoveryDeps {
  readonly egressGateway: EgressGateway
}

/** For whom a server is looked for, and where it may be. */
export interface DiscoveryOptions {
  readonly tenant: Tenant
  /** `x-hosts`: the hosts of the server and of its authorization server. Undefined: any. */
  readonly hosts: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** The parts of a discovery, which its errors name. */
type Step = 'server' | 'protected resource metadata' | 'authorization server metadata'

const MAX_REQUESTS = 8
const TIMEOUT_MS = 10_000
const MAX_BYTES = 256 * 1024
/** Scopes of a server that are requested, and characters of each. */
const MAX_SCOPES = 100
const SCOPE = /^[!#-[\]-~]{1,255}$/

/** One discovery, and what is left of its budget. */
interface Discovery extends DiscoveryDeps, DiscoveryOptions {
  readonly signal: AbortSignal
  requests: number
}

function beginDiscovery(deps: DiscoveryDeps, options: DiscoveryOptions): Discovery {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal])
  return { ...deps, ...options, signal, requests: 0 }
}

/**
 * Finds out who issues tokens for a server.
 *
 * @throws ApiError `mcp_server_invalid`, whose message names the step and what was wrong; `egress_unavailable`
 */
export async function discoverServer(
  deps: DiscoveryDeps,
  serverUrl: string,
  options: DiscoveryOptions,
): Promise<DiscoveredServer> {
  const discovery = beginDiscovery(deps, options)
  const url = await requireUrl(discovery, 'server', serverUrl)
  if (url.search !== '')
    throw createMcpServerInvalidError('server', `${quote(serverUrl)} must not have a query.`)
  const challenge = await requestChallenge(discovery, url)
  const resourceMetadata = await findResourceMetadata(discovery, url, challenge)
  const resource = parseResource(resourceMetadata.document.resource, url, resourceMetadata.url)
  const server = await findAuthorizationServer(discovery, resourceMetadata)
  const challenged = challenge?.get('scope')?.split(/\s+/)
  const named = challenged ?? readTexts(resourceMetadata.document.scopes_supported)
  return { resource, server, scopes: selectScopes(named, server) }
}

/**
 * Reads the metadata of an authorization server by its issuer.
 *
 * @throws ApiError `mcp_server_invalid`, `egress_unavailable`
 */
export async function discoverAuthorizationServer(
  deps: DiscoveryDeps,
  issuer: string,
  options: DiscoveryOptions,
): Promise<AuthorizationServer> {
  return await readAuthorizationServer(beginDiscovery(deps, options), issuer)
}

/** Without `offline_access`, many servers issue no refresh token; others refuse a scope that they do not list. */
function selectScopes(
  named: readonly string[],
  { hasOfflineAccess }: AuthorizationServer,
): readonly string[] {
  const scopes = named.filter((scope) => SCOPE.test(scope) && scope !== OFFLINE_ACCESS)
  const all = [...scopes.slice(0, MAX_SCOPES), ...(hasOfflineAccess ? [OFFLINE_ACCESS] : [])]
  return [...new Set(all)]
}

const OFFLINE_ACCESS = 'offline_access'

/** Calls the server without a token. Only the head of its response is read: a body may never end. */
async function requestChallenge(
  discovery: Discovery,
  url: URL,
): Promise<ReadonlyMap<string, string> | undefined> {
  const request = {
    method: 'POST',
    url: url.href,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': 'server/discover',
    },
    body: Buffer.from(JSON.stringify(DISCOVER_REQUEST)),
  }
  const { status, rawHeaders } = await spend(discovery, 'server', request.url, async () => {
    const { tenant, hosts, signal } = discovery
    const limits = { timeoutMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES }
    const policy = { ...limits, purpose: 'bundle', tenant, hosts, signal } as const
    const response = await discovery.egressGateway.stream(request, policy)
    response.body.destroy()
    return response
  })
  if (status !== 401) return undefined
  const challenges = readBearerChallenges(rawHeaders)
  return challenges.find((params) => params.has('resource_metadata')) ?? challenges[0]
}

const PROTOCOL_VERSION = '2026-07-28'
const DISCOVER_REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'linchpin', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

/** A document, and where it was. */
interface FoundDocument {
  readonly url: string
  readonly document: JsonObject
}

/** RFC 9728 sections 3.1 and 5.1. */
async function findResourceMetadata(
  discovery: Discovery,
  { origin, pathname }: URL,
  challenge: ReadonlyMap<string, string> | undefined,
): Promise<FoundDocument> {
  const step = 'protected resource metadata'
  const named = challenge?.get('resource_metadata')
  const path = pathname.replace(/\/$/, '')
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`
  const urls = named === undefined ? [...new Set([`${wellKnown}${path}`, wellKnown])] : [named]
  const problems: string[] = []
  for (const url of urls) {
    const found = await fetchDocument(discovery, step, url)
    if (typeof found !== 'string') return { url, document: found }
    problems.push(found)
  }
  throw createMcpServerInvalidError(step, problems.join(' '))
}

/**
 * The resource that a server says it is. Another one's tokens are not requested: a server could use them there (RFC 9728 section
 * 3.3).
 */
function parseResource(value: unknown, server: URL, metadataUrl: string): string {
  const url = typeof value === 'string' ? parsePlainUrl(value) : undefined
  const isSameOrigin = url?.origin === server.origin && url.search === ''
  const path = url?.pathname.replace(/\/$/, '') ?? ''
  const isCovered = `${server.pathname.replace(/\/$/, '')}/`.startsWith(`${path}/`)
  if (url === undefined || !isSameOrigin || !isCovered)
    throw createMcpServerInvalidError(
      'protected resource metadata',
      `${quote(metadataUrl)} has the resource ${quote(value)}, which is not ${server.href} or a prefix of it.`,
    )
  return `${url.origin}${path}`
}

/** The first that is usable. */
async function findAuthorizationServer(
  discovery: Discovery,
  { url, document }: FoundDocument,
): Promise<AuthorizationServer> {
  const issuers = readTexts(document.authorization_servers)
  let failure: unknown
  for (const issuer of issuers) {
    try {
      return await readAuthorizationServer(discovery, issuer)
    } catch (error) {
      if (!isMcpServerInvalid(error)) throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  throw createMcpServerInvalidError(
    'protected resource metadata',
    `${quote(url)} names no authorization_servers.`,
  )
}

async function readAuthorizationServer(
  discovery: Discovery,
  issuer: string,
): Promise<AuthorizationServer> {
  const step = 'authorization server metadata'
  const issuerUrl = await requireUrl(discovery, step, issuer)
  if (issuerUrl.search !== '')
    throw createMcpServerInvalidError(step, `The issuer ${quote(issuer)} must not have a query.`)
  const problems: string[] = []
  for (const url of listMetadataUrls(issuerUrl)) {
    const found = await fetchDocument(discovery, step, url)
    try {
      if (typeof found !== 'string')
        return await requireEndpoints(discovery, parseAuthorizationServer(found, issuer))
      problems.push(found)
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error
      problems.push(`${url} ${error.message}`)
    }
  }
  throw createMcpServerInvalidError(step, problems.join(' '))
}

/** With a path: RFC 8414 section 3.1, the same for OpenID Connect, and OpenID Connect Discovery section 4.1. */
function listMetadataUrls({ origin, pathname }: URL): string[] {
  const path = pathname.replace(/\/$/, '')
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  )
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`]
}

/** The endpoints of which the browser opens one, and Linchpin the others. */
async function requireEndpoints(
  discovery: Discovery,
  server: AuthorizationServer,
): Promise<AuthorizationServer> {
  const step = 'authorization server metadata'
  // The spec's hosts are those of requests, and this one is the browser's.
  await requireUrl({ ...discovery, hosts: undefined }, step, server.authorizationEndpoint)
  for (const url of listEndpoints(server)) await requireUrl(discovery, step, url)
  return server
}

/** What a GET returns: a JSON object, or a sentence that says why there is none. */
async function fetchDocument(
  discovery: Discovery,
  step: Step,
  text: string,
): Promise<JsonObject | string> {
  const { href } = await requireUrl(discovery, step, text)
  const request = { method: 'GET', url: href, headers: { accept: 'application/json' } }
  const { status, rawHeaders, body } = await spend(discovery, step, href, () => {
    const { tenant, hosts, signal } = discovery
    return discovery.egressGateway.request(request, {
      purpose: 'oauth',
      tenant,
      hosts,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      maxRedirects: 0,
      decompress: true,
    })
  })
  if (status >= 300 && status < 400 && getHeader(rawHeaders, 'location') !== undefined)
    return `${href} redirects with status ${status}, which is not followed.`
  if (status !== 200) return `${href} has status ${status}.`
  const document = parseJson(Buffer.from(body).toString())
  return isJsonObject(document) ? document : `${href} is not a JSON object.`
}

/** Sends one request of the budget. */
async function spend<T>(
  discovery: Discovery,
  step: Step,
  url: string,
  send: () => Promise<T>,
): Promise<T> {
  if (discovery.requests >= MAX_REQUESTS)
    throw createMcpServerInvalidError(step, `It takes more than ${MAX_REQUESTS} requests.`)
  discovery.requests += 1
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    if (error.code === 'egress_unavailable')
      throw new ApiError('egress_unavailable', error.message, { cause: error })
    const isOverdue = error.code === 'aborted' || error.code === 'timeout'
    const problem = isOverdue ? `no response within ${TIMEOUT_MS / 1_000} seconds.` : error.message
    throw createMcpServerInvalidError(step, `${url}: ${problem}`, error)
  }
}

/**
 * A URL to which something may be sent: https, or http where the egress gateway allows that loopback address. Browsers open some of
 * them, so it is not left to the gateway.
 */
async function requireUrl(
  { egressGateway, tenant, hosts, signal }: Discovery,
  step: Step,
  text: string,
): Promise<URL> {
  const url = parsePlainUrl(text)
  if (url === undefined)
    throw createMcpServerInvalidError(step, `${quote(text)} is not a plain https URL.`)
  if (hosts !== undefined && !isListed(normalizeHost(url.hostname), hosts))
    throw createMcpServerInvalidError(step, `x-hosts does not list the host of ${quote(text)}.`)
  if (url.protocol === 'https:') return url
  const policy = { purpose: 'oauth', tenant, timeoutMs: TIMEOUT_MS, signal } as const
  const isAllowed =
    isLoopbackHost(url.hostname) &&
    (await egressGateway.validate(url.href, policy).then(
      () => true,
      () => false,
    ))
  if (!isAllowed) throw createMcpServerInvalidError(step, `${quote(text)} must be an https URL.`)
  return url
}

/** The server, or its authorization server, cannot be used. `step`: of the sign-in, or the method of a request. */
export function createMcpServerInvalidError(
  step: string,
  problem: string,
  cause?: unknown,
): ApiError {
  return new ApiError('mcp_server_invalid', `${step}: ${problem}`.slice(0, MAX_MESSAGE), { cause })
}

const MAX_MESSAGE = 1_000

export function isMcpServerInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'mcp_server_invalid'
}
