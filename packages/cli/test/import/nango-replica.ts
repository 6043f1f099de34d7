import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A connection as the replica stores it. */
export interface ReplicaConnection {
  readonly id: string
  readonly integration: string
  readonly provider: string
  readonly createdAt: string
  credentials: Record<string, unknown>
  readonly connectionConfig?: Record<string, unknown>
  readonly metadata?: Record<string, unknown>
  readonly endUser?: Record<string, unknown> | null
  readonly tags?: Record<string, string>
}

/**
 * A server with the part of Nango's API that the import uses, built from its published OpenAPI document (docs/spec.yaml):
 * the list of connections, a connection with its credentials, whose expired access token is refreshed at the token
 * endpoint of the provider before the response, the client of an integration, the scopes of a key, and the limit of requests.
 */
export interface NangoReplica {
  readonly url: string
  readonly secretKey: string
  readonly connections: ReplicaConnection[]
  /** How often the tokens of each connection were refreshed here. */
  readonly refreshes: Map<string, number>
  /** How often the credentials of each connection were read. */
  readonly reads: Map<string, number>
  /** The query strings of all requests. */
  readonly queries: string[]
  /** Client IDs of integrations. Those of others cannot be read. */
  readonly clientIds: Map<string, string>
  /** Whether the key has the scope `environment:connections:read_credentials`. */
  canReadCredentials: boolean
  /** Requests in each window; the others are refused with 429 and `Retry-After`. Undefined: no limit. */
  limit: { readonly requests: number; readonly windowMs: number } | undefined
  /** How many requests the limit has refused. */
  refused: number
  /** Answers instead of the replica, if it returns true. */
  intercept: ((url: URL, response: ServerResponse) => boolean) | undefined
  close(): Promise<void>
}

export async function startNangoReplica(options: {
  readonly tokenUrl: string
  /** Whether the list has pages. */
  readonly hasPages?: boolean
}): Promise<NangoReplica> {
  const server = createServer((request, response) => {
    respond(request.url ?? '', request.headers.authorization, response).catch((error) =>
      response.destroy(error),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const replica: NangoReplica = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey: crypto.randomUUID(),
    connections: [],
    refreshes: new Map(),
    reads: new Map(),
    queries: [],
    clientIds: new Map(),
    canReadCredentials: true,
    limit: undefined,
    refused: 0,
    intercept: undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  let window = { endsAt: 0, requests: 0 }
  return replica

  /** As Nango: whole seconds, rounded down. */
  function refuse(response: ServerResponse): boolean {
    if (replica.limit === undefined) return false
    const now = Date.now()
    if (now >= window.endsAt) window = { endsAt: now + replica.limit.windowMs, requests: 0 }
    window.requests += 1
    if (window.requests <= replica.limit.requests) return false
    replica.refused += 1
    response.setHeader('retry-after', Math.floor((window.endsAt - now) / 1_000))
    send(response, 429, { error: { code: 'too_many_request' } })
    return true
  }

  async function respond(
    path: string,
    authorization: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const url = new URL(path, replica.url)
    replica.queries.push(url.search)
    if (authorization !== `Bearer ${replica.secretKey}`)
      return send(response, 401, { error: { code: 'unauthorized', message: 'wrong key' } })
    if (refuse(response) || replica.intercept?.(url, response)) return
    const [, integration] = /^\/integrations\/([^/]+)$/.exec(url.pathname) ?? []
    if (integration !== undefined) return sendIntegration(response, decodeURIComponent(integration))
    if (url.pathname === '/connections') return send(response, 200, list(url.searchParams))
    const id = decodeURIComponent(/^\/connections\/([^/]+)$/.exec(url.pathname)?.[1] ?? '')
    const key = url.searchParams.get('provider_config_key')
    const withRefreshToken = url.searchParams.get('refresh_token') === 'true'
    if (withRefreshToken && !replica.canReadCredentials)
      return send(response, 403, { error: { code: 'forbidden' } })
    const connection = replica.connections.find((one) => one.id === id && one.integration === key)
    if (connection === undefined) return send(response, 404, { error: { code: 'not_found' } })
    if (withRefreshToken) count(replica.reads, id)
    if (replica.canReadCredentials && !(await refreshIfExpired(connection)))
      return send(response, 424, { error: { code: 'invalid_credentials', message: 'refused' } })
    const { canReadCredentials } = replica
    send(response, 200, serialize(connection, { withRefreshToken, canReadCredentials }))
  }

  function sendIntegration(response: ServerResponse, integration: string): void {
    const client_id = replica.clientIds.get(integration)
    const credentials = { type: 'OAUTH2', client_id, client_secret: 'an-integration-secret' }
    if (client_id === undefined) send(response, 403, { error: { code: 'forbidden' } })
    else send(response, 200, { data: { unique_key: integration, credentials } })
  }

  function list(query: URLSearchParams) {
    const limit = Number(query.get('limit'))
    const start = Number(query.get('page')) * limit
    const page =
      options.hasPages === false
        ? replica.connections
        : replica.connections.slice(start, start + limit)
    return {
      connections: page.map((one, index) => ({
        id: index,
        connection_id: one.id,
        provider: one.provider,
        provider_config_key: one.integration,
        created: one.createdAt,
        metadata: null,
        errors: [],
        tags: one.tags ?? {},
        end_user: one.endUser ?? null,
      })),
    }
  }

  /** False if the provider refuses the refresh token. */
  async function refreshIfExpired({ id, credentials }: ReplicaConnection): Promise<boolean> {
    if (credentials.type !== 'OAUTH2') return true
    if (Date.parse(String(credentials.expires_at)) > Date.now() + MARGIN_MS) return true
    count(replica.refreshes, id)
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: String(credentials.refresh_token),
    })
    const response = await fetch(options.tokenUrl, { method: 'POST', body })
    if (!response.ok) return false
    const tokens = (await response.json()) as Record<string, unknown>
    credentials.access_token = tokens.access_token
    credentials.refresh_token = tokens.refresh_token
    credentials.expires_at = new Date(Date.now() + Number(tokens.expires_in) * 1_000).toISOString()
    return true
  }
}

/** Nango refreshes an access token that ends within 15 minutes. */
const MARGIN_MS = 900_000

function serialize(
  one: ReplicaConnection,
  shown: { readonly withRefreshToken: boolean; readonly canReadCredentials: boolean },
) {
  const { refresh_token, ...credentials } = one.credentials
  const token = shown.withRefreshToken ? { refresh_token } : {}
  return {
    id: 1,
    connection_id: one.id,
    provider_config_key: one.integration,
    provider: one.provider,
    errors: [],
    end_user: one.endUser ?? null,
    tags: one.tags ?? {},
    metadata: one.metadata ?? {},
    connection_config: one.connectionConfig ?? {},
    created_at: one.createdAt,
    updated_at: one.createdAt,
    last_fetched_at: one.createdAt,
    credentials: shown.canReadCredentials ? { raw: {}, ...credentials, ...token } : {},
  }
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
