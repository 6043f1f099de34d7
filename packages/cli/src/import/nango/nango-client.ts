import { setTimeout as sleep } from 'node:timers/promises'

/** A connection without its credentials: an item of `GET /connections`. */
export interface NangoConnection {
  readonly connection_id: string
  readonly provider_config_key: string
  readonly provider: string
  readonly created?: string
}

/** A connection with its credentials: the response of `GET /connections/{connectionId}`. */
export interface NangoCredentials {
  readonly created_at?: string
  readonly connection_config?: Readonly<Record<string, unknown>> | null
  readonly tags?: Readonly<Record<string, unknown>> | null
  readonly end_user?: NangoEndUser | null
  readonly credentials?: Readonly<Record<string, unknown>> | null
}

interface NangoEndUser {
  readonly id?: string
  readonly email?: string | null
  readonly display_name?: string | null
  readonly tags?: Readonly<Record<string, unknown>> | null
  readonly organization?: { readonly id?: string; readonly display_name?: string | null } | null
}

/** Nango responded with an error, or not at all. The message contains neither a key nor a body. */
export class NangoError extends Error {
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

export interface NangoClientOptions {
  readonly baseUrl: string
  readonly secretKey: string
  readonly fetch: typeof fetch
  /** Plain http, for other hosts than this one. */
  readonly allowsHttp?: boolean | undefined
  /** The wait before the first retry, in milliseconds. Default: 500. */
  readonly retryMs?: number | undefined
}

/** Reads the connections of one environment of Nango. */
export interface NangoClient {
  /** All connections, without credentials. @throws NangoError */
  listConnections(): AsyncGenerator<NangoConnection, void, undefined>
  /**
   * A connection with its credentials. Nango refreshes an access token that has expired before it responds; this never
   * asks it to refresh another. @throws NangoError
   */
  getCredentials(connection: NangoConnection): Promise<NangoCredentials>
}

/** @throws TypeError for a URL that would send the key in plain text, or is invalid */
export function createNangoClient(options: NangoClientOptions): NangoClient {
  const base = parseBaseUrl(options)
  const get = (path: string, query: Record<string, string>) =>
    getJson(options, `${base}${path}?${new URLSearchParams(query)}`)
  return {
    async *listConnections() {
      const seen = new Set<string>()
      for (let page = 0; ; page += 1) {
        const body = await get('/connections', { limit: `${PAGE}`, page: `${page}` })
        const connections = (body as { connections?: unknown }).connections
        if (!Array.isArray(connections))
          throw new NangoError('Nango did not respond with a list of connections.')
        // Earlier versions ignore `page` and return everything each time.
        const fresh = connections.filter(isConnection).filter((one) => {
          const key = JSON.stringify([one.provider_config_key, one.connection_id])
          return seen.size < seen.add(key).size
        })
        yield* fresh
        if (fresh.length === 0 || connections.length !== PAGE) return
      }
    },
    async getCredentials({ connection_id: id, provider_config_key }) {
      const query = { provider_config_key, refresh_token: 'true' }
      return (await get(`/connections/${encodeURIComponent(id)}`, query)) as NangoCredentials
    },
  }
}

const PAGE = 100

function parseBaseUrl({ baseUrl, allowsHttp = false }: NangoClientOptions): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError('--from must be the URL of Nango, such as https://api.nango.dev')
  if (url.username !== '' || url.password !== '')
    throw new TypeError('--from must not contain a user name or a password')
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLocal && !allowsHttp)
    throw new TypeError(
      '--from must be https, because the key is in every request; see --allow-http',
    )
  return url.href.replace(/\/+$/, '')
}

async function getJson(options: NangoClientOptions, url: string): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await tryGetJson(options, url)
    if (!(failure instanceof NangoError)) return failure.body
    const { status } = failure
    const isRetryable = status === undefined || status === 429 || status >= 500
    if (!isRetryable || attempt === ATTEMPTS) throw failure
    await sleep((options.retryMs ?? 500) * 2 ** (attempt - 1))
  }
}

const ATTEMPTS = 5

async function tryGetJson(
  options: NangoClientOptions,
  url: string,
): Promise<NangoError | { readonly body: unknown }> {
  try {
    const response = await options.fetch(url, {
      headers: { authorization: `Bearer ${options.secretKey}`, accept: 'application/json' },
      // The key must not follow a redirect to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) {
      await response.body?.cancel()
      return new NangoError(`Nango responded with ${response.status}.`, response.status)
    }
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null
      ? { body }
      : new NangoError('Nango did not respond with an object.', response.status)
  } catch {
    return new NangoError('Nango cannot be reached, or its response is not JSON.')
  }
}

function isConnection(value: unknown): value is NangoConnection {
  const one = value as Partial<NangoConnection> | null
  return [one?.connection_id, one?.provider_config_key].every(
    (text) => typeof text === 'string' && text !== '',
  )
}
