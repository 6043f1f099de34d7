import { setTimeout as sleep } from 'node:timers/promises'

/** A connection without its credentials: an item of `GET /connections`. */
export interface NangoConnection {
  readonly connection_id: string
  readonly provider_config_key: string
  readonly provider: string
  readonly created?: string
}

/** A connection with its settings: the response of `GET /connections/{connectionId}`. */
export interface NangoCredentials {
  readonly created_at?: string
  readonly connection_config?: Readonly<Record<string, unknown>> | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly tags?: Readonly<Record<string, unknown>> | null
  readonly end_user?: NangoEndUser | null
  /** Empty for a key that cannot read credentials. */
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
  /** The code of Nango's error, such as `invalid_credentials`. */
  readonly code: string | undefined
  /** How long Nango wants its clients to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    details: { status?: number; code?: string | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
    this.status = details.status
    this.code = details.code
    this.retryAfterMs = details.retryAfterMs
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

/**
 * Reads the connections of one environment of Nango. After a 429, or a 503 with `Retry-After`, all requests wait as long as
 * Nango asks, at most two minutes at a time.
 */
export interface NangoClient {
  /**
   * All connections, without credentials. A page that Nango refuses is passed to `onSkippedPage`, and the next one is
   * requested.
   *
   * @throws NangoError for a refused key, without a response, and after three refused pages in a row
   */
  listConnections(
    onSkippedPage?: (page: number, error: NangoError) => void,
  ): AsyncGenerator<NangoConnection, void, undefined>
  /**
   * A connection with its settings and, if the key can read them, its credentials without the refresh token. Nango
   * refreshes an access token that ends within 15 minutes before it responds to such a key. @throws NangoError
   */
  getSettings(connection: NangoConnection): Promise<NangoCredentials>
  /** The same with the refresh token; this never asks Nango to refresh a token early. @throws NangoError */
  getCredentials(connection: NangoConnection): Promise<NangoCredentials>
  /** Whether the key has the scope that `getCredentials` needs. Reads no connection. @throws NangoError */
  canReadCredentials(): Promise<boolean>
  /**
   * The ID of the OAuth client of an integration. Empty if the integration uses an app of Nango; undefined if the key cannot
   * read it. @throws NangoError
   */
  getClientId(integration: string): Promise<string | undefined>
}

/** @throws TypeError for a URL that would send the key in plain text, or is invalid */
export function createNangoClient(options: NangoClientOptions): NangoClient {
  const base = parseBaseUrl(options)
  const pause: Pause = { until: 0 }
  const get = (path: string, query: Record<string, string>) =>
    getJson(options, pause, `${base}${path}?${new URLSearchParams(query)}`)
  const getConnection = async (
    { connection_id: id, provider_config_key }: NangoConnection,
    query: Record<string, string> = {},
  ) =>
    (await get(`/connections/${encodeURIComponent(id)}`, {
      provider_config_key,
      ...query,
    })) as NangoCredentials
  return {
    listConnections: (onSkippedPage) => listConnections(get, onSkippedPage),
    getSettings: (connection) => getConnection(connection),
    getCredentials: (connection) => getConnection(connection, { refresh_token: 'true' }),
    async canReadCredentials() {
      // Nango looks at the scopes of the key before it looks for the connection, which does not exist.
      const query = { provider_config_key: PROBE, refresh_token: 'true' }
      const error = await get(`/connections/${PROBE}`, query).catch(catchNangoError)
      if (error instanceof NangoError && (error.status === undefined || error.status === 401))
        throw error
      return !(error instanceof NangoError && error.status === 403)
    },
    async getClientId(integration) {
      const path = `/integrations/${encodeURIComponent(integration)}`
      const body = await get(path, { include: 'credentials' }).catch(catchNangoError)
      if (body instanceof NangoError) {
        if (body.status === 403 || body.status === 404) return undefined
        throw body
      }
      const { data } = body as { data?: { credentials?: { client_id?: unknown } | null } }
      const id = data?.credentials?.client_id
      return typeof id === 'string' ? id : undefined
    },
  }
}

const PROBE = 'linchpin-import-does-not-exist'

function catchNangoError(error: unknown): NangoError {
  if (error instanceof NangoError) return error
  throw error
}

async function* listConnections(
  get: (path: string, query: Record<string, string>) => Promise<unknown>,
  onSkippedPage: ((page: number, error: NangoError) => void) | undefined,
): AsyncGenerator<NangoConnection, void, undefined> {
  const seen = new Set<string>()
  let skipped = 0
  for (let page = 0; ; page += 1) {
    const query = { limit: `${PAGE}`, page: `${page}` }
    const body = await get('/connections', query).catch(catchNangoError)
    if (body instanceof NangoError) {
      skipped += 1
      const isFinal = body.status === undefined || body.status === 401 || body.status === 403
      if (isFinal || skipped === MAX_SKIPPED_PAGES) throw body
      onSkippedPage?.(page, body)
      continue
    }
    skipped = 0
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
}

const PAGE = 100
const MAX_SKIPPED_PAGES = 3

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

/** Until when all requests wait, in epoch milliseconds. */
interface Pause {
  until: number
}

async function getJson(options: NangoClientOptions, pause: Pause, url: string): Promise<unknown> {
  const { retryMs = 500 } = options
  for (let attempt = 1; ; attempt += 1) {
    await waitFor(pause)
    const failure = await tryGetJson(options, url)
    if (!(failure instanceof NangoError)) return failure.body
    const { status, retryAfterMs } = failure
    const isThrottled = status === 429 || retryAfterMs !== undefined
    const isRetryable = isThrottled || status === undefined || status >= 500
    if (!isRetryable || attempt === (isThrottled ? THROTTLED_ATTEMPTS : ATTEMPTS)) throw failure
    const backoffMs = Math.min(retryMs * 2 ** (attempt - 1), MAX_BACKOFF_MS)
    const waitMs = Math.min(Math.max(retryAfterMs ?? 0, backoffMs), MAX_PAUSE_MS)
    if (isThrottled) pause.until = Math.max(pause.until, Date.now() + waitMs)
    else await sleep(waitMs * (1 + Math.random() / 4))
  }
}

/** Requests continue at different moments, so that they do not exceed the limit again together. */
async function waitFor(pause: Pause): Promise<void> {
  for (;;) {
    const left = pause.until - Date.now()
    if (left <= 0) return
    await sleep(left + Math.random() * Math.min(left / 4, 1_000))
  }
}

const ATTEMPTS = 5
/** A limit per minute ends, so this many are more than one request ever needs. */
const THROTTLED_ATTEMPTS = 20
const MAX_BACKOFF_MS = 30_000
const MAX_PAUSE_MS = 120_000

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
    if (!response.ok) return await readError(response)
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null
      ? { body }
      : new NangoError('Nango did not respond with an object.', { status: response.status })
  } catch {
    return new NangoError('Nango cannot be reached, or its response is not JSON.')
  }
}

async function readError(response: Response): Promise<NangoError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const code = (body as { error?: { code?: unknown } } | null | undefined)?.error?.code
  const isCode = typeof code === 'string' && /^[a-z0-9_]{1,64}$/.test(code)
  const retryAfterMs =
    status === 429 || status === 503
      ? parseRetryAfter(response.headers.get('retry-after'))
      : undefined
  return new NangoError(`Nango responded with ${status}${isCode ? ` (${code})` : ''}.`, {
    status,
    code: isCode ? code : undefined,
    retryAfterMs,
  })
}

/** Seconds or an HTTP date (RFC 9110, section 10.2.3). Nango rounds both down to whole seconds. */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return (Number(value) + 1) * 1_000
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now()) + 1_000
}

function isConnection(value: unknown): value is NangoConnection {
  const one = value as Partial<NangoConnection> | null
  return [one?.connection_id, one?.provider_config_key].every(
    (text) => typeof text === 'string' && text !== '',
  )
}
