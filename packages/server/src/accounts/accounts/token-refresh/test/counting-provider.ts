import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A provider with any number of grants. Rotates refresh tokens, and counts those that are used again. Serves real HTTP. */
export interface CountingProvider {
  readonly url: string
  /** `host:port`, as stored with accounts. */
  readonly host: string
  latencyMs: number
  /** `hang` never responds; a number responds with that status. */
  mode: 'ok' | 'hang' | number
  /** How long the refresh token before the last is answered with the same tokens, in milliseconds. */
  graceMs: number
  /** Headers of every response. */
  headers: Readonly<Record<string, string>>
  readonly counts: ProviderCounts
  /** The access token that was issued last to a grant. */
  getAccessToken(grant: string): string
  close(): Promise<void>
}

export interface ProviderCounts {
  requests: number
  open: number
  mostOpen: number
  refreshed: number
  /** Requests with the token before the last, within the grace period. */
  repeated: number
  /** Requests with an older one. */
  reused: number
}

/** The first refresh token of a grant. */
export const getFirstRefreshToken = (grant: string): string => `${grant}.0`

export async function startCountingProvider(latencyMs = 0): Promise<CountingProvider> {
  const generations = new Map<string, number>()
  const rotations = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { counts } = provider
    counts.requests += 1
    counts.open += 1
    counts.mostOpen = Math.max(counts.mostOpen, counts.open)
    response.once('close', () => {
      counts.open -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (provider.latencyMs > 0) await sleep(provider.latencyMs)
    respond(new URLSearchParams(Buffer.concat(chunks).toString()), response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: CountingProvider = {
    url: `http://${host}`,
    host,
    latencyMs,
    mode: 'ok',
    graceMs: 0,
    headers: {},
    counts: { requests: 0, open: 0, mostOpen: 0, refreshed: 0, repeated: 0, reused: 0 },
    getAccessToken: (grant) => `access-${grant}.${generations.get(grant) ?? 0}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return provider

  function isInGrace(grant: string): boolean {
    return Date.now() - (rotations.get(grant) ?? 0) < provider.graceMs
  }

  function respond(params: URLSearchParams, response: ServerResponse): void {
    if (provider.mode === 'hang') return
    if (provider.mode !== 'ok')
      return void response.writeHead(provider.mode, provider.headers).end()
    const [grant = '', text] = (params.get('refresh_token') ?? '').split('.')
    const generation = Number(text)
    const current = generations.get(grant) ?? 0
    const isRepeated = generation === current - 1 && isInGrace(grant)
    if (generation !== current && !isRepeated) {
      provider.counts.reused += 1
      return void response.writeHead(400).end('{"error":"invalid_grant"}')
    }
    if (isRepeated) provider.counts.repeated += 1
    else {
      generations.set(grant, generation + 1)
      rotations.set(grant, Date.now())
      provider.counts.refreshed += 1
    }
    const tokens = { access_token: `access-${grant}.${generation + 1}`, token_type: 'Bearer' }
    const rest = { refresh_token: `${grant}.${generation + 1}`, expires_in: 3_600 }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...tokens, ...rest }))
  }
}
