import {
  createUnexpectedResponse,
  LinchpinConnectionError,
  LinchpinError,
  LinchpinTimeoutError,
  readError,
} from './errors.ts'

/** Options of a single call. */
export interface RequestOptions {
  /** Ends the call, its waiting for a retry included. The call throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** How long an attempt may take. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Attempts after the first. Default: 3. */
  readonly maxRetries?: number | undefined
  /** The `Idempotency-Key` of a POST. Default: a random one, the same in each attempt. */
  readonly idempotencyKey?: string | undefined
}

/** `fetch`, or a function that behaves like it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface SendSettings {
  /** The base URL of the API, without a slash at the end. */
  readonly apiUrl: string
  readonly authorization: string
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly maxRetries: number
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query below the base URL of the API. */
  readonly path: string
  readonly body?: object | undefined
  readonly options?: RequestOptions | undefined
  /** Leaves the body of the response unread. */
  readonly isStream?: boolean
}

export interface ApiResponse {
  readonly data: unknown
  readonly response: Response
}

/** Sends a request to the API, up to `maxRetries` times more than once. @throws LinchpinError, LinchpinConnectionError */
export type Send = (request: ApiRequest) => Promise<ApiResponse>

const MAX_RETRY_AFTER_MS = 60_000

export function createSend(settings: SendSettings): Send {
  return async (request) => {
    const { maxRetries = settings.maxRetries, signal, idempotencyKey } = request.options ?? {}
    const headers: Record<string, string> = { authorization: settings.authorization }
    if (request.method === 'POST') {
      headers['content-type'] = 'application/json'
      headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID()
    }
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendOnce(settings, request, headers)
      } catch (error) {
        const delayMs = getRetryDelayMs(error, attempt)
        if (attempt >= maxRetries || delayMs === undefined) throw error
        await sleep(delayMs, signal)
      }
    }
  }
}

async function sendOnce(
  { apiUrl, fetch, ...defaults }: SendSettings,
  { method, path, body = {}, options = {}, isStream = false }: ApiRequest,
  headers: Record<string, string>,
): Promise<ApiResponse> {
  const { signal, timeoutMs = defaults.timeoutMs } = options
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => controller.abort(controller), timeoutMs)
  try {
    const response = await fetch(apiUrl + path, {
      method,
      headers,
      redirect: 'manual',
      signal: controller.signal,
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw await readError(response)
    return { data: isStream ? undefined : parseBody(response, await response.text()), response }
  } catch (error) {
    if (error instanceof LinchpinError) throw error
    signal?.throwIfAborted()
    throw controller.signal.aborted
      ? new LinchpinTimeoutError(`No response arrived within ${timeoutMs} ms.`)
      : new LinchpinConnectionError('No response arrived.', { cause: error })
  } finally {
    clearTimeout(timer)
    if (!isStream) signal?.removeEventListener('abort', abort)
  }
}

function parseBody(response: Response, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw createUnexpectedResponse(response.status)
  }
}

/**
 * Milliseconds until the next attempt: `Retry-After`, otherwise full jitter below 0.5, 1, 2, 4 and then 8 seconds.
 * `undefined` for errors that a retry does not change, and for a longer wait than a caller expects.
 */
export function getRetryDelayMs(error: unknown, attempt: number): number | undefined {
  const isLinchpin = error instanceof LinchpinError
  if (!(isLinchpin || error instanceof LinchpinConnectionError) || !error.isRetryable)
    return undefined
  const retryAfterMs = isLinchpin ? error.retryAfterMs : undefined
  if (retryAfterMs === undefined) return Math.random() * Math.min(8_000, 500 * 2 ** attempt)
  return retryAfterMs <= MAX_RETRY_AFTER_MS ? retryAfterMs : undefined
}

/** Resolves later. @throws the reason of the signal */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
