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
  readonly endUser?: Record<string, unknown> | null
  readonly tags?: Record<string, string>
}

/**
 * A server with the part of Nango's API that the import uses, built from its published OpenAPI document (docs/spec.yaml):
 * the list of connections, and a connection with its credentials, whose expired access token is refreshed at the token
 * endpoint of the provider before the response. Not tried against the original.
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
    intercept: undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return replica

  async function respond(
    path: string,
    authorization: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const url = new URL(path, replica.url)
    replica.queries.push(url.search)
    if (authorization !== `Bearer ${replica.secretKey}`)
      return send(response, 401, { error: { code: 'unauthorized', message: 'wrong key' } })
    if (replica.intercept?.(url, response)) return
    if (url.pathname === '/connections') return send(response, 200, list(url.searchParams))
    const id = decodeURIComponent(/^\/connections\/([^/]+)$/.exec(url.pathname)?.[1] ?? '')
    const key = url.searchParams.get('provider_config_key')
    const connection = replica.connections.find((one) => one.id === id && one.integration === key)
    if (connection === undefined) return send(response, 404, { error: { code: 'not_found' } })
    count(replica.reads, id)
    await refreshIfExpired(connection)
    send(response, 200, serialize(connection, url.searchParams.get('refresh_token') === 'true'))
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

  async function refreshIfExpired({ id, credentials }: ReplicaConnection): Promise<void> {
    if (credentials.type !== 'OAUTH2') return
    if (Date.parse(String(credentials.expires_at)) > Date.now()) return
    count(replica.refreshes, id)
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: String(credentials.refresh_token),
    })
    const response = await fetch(options.tokenUrl, { method: 'POST', body })
    const tokens = (await response.json()) as Record<string, unknown>
    credentials.access_token = tokens.access_token
    credentials.refresh_token = tokens.refresh_token
    credentials.expires_at = new Date(Date.now() + Number(tokens.expires_in) * 1_000).toISOString()
  }
}

function serialize(one: ReplicaConnection, withRefreshToken: boolean) {
  const { refresh_token, ...credentials } = one.credentials
  return {
    id: 1,
    connection_id: one.id,
    provider_config_key: one.integration,
    provider: one.provider,
    errors: [],
    end_user: one.endUser ?? null,
    tags: one.tags ?? {},
    metadata: {},
    connection_config: one.connectionConfig ?? {},
    created_at: one.createdAt,
    updated_at: one.createdAt,
    last_fetched_at: one.createdAt,
    credentials: { raw: {}, ...credentials, ...(withRefreshToken ? { refresh_token } : {}) },
  }
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
