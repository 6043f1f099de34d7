import type { SendRequest } from '../auth/auth-method.ts'
import { CheckFailure } from '../spec/check-failure.ts'

/** Dependencies of sending. */
export interface SendDeps {
  readonly fetch: typeof globalThis.fetch
  /** A clock in milliseconds. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** The provider's name, for messages. */
  readonly name: string
  /** The field in which the user entered the provider's address; undefined if it cannot be wrong. */
  readonly hostField: string | undefined
}

export type Send = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Sends requests, and retries them after a 429 if `Retry-After` is short enough: all waits of a command together are
 * limited to 6 s, so that they never exceed the sandbox's 15 s. Redirects are returned, because credentials must not
 * follow them.
 *
 * @throws CheckFailure `provider_unreachable` or `wrong_host` when there is no response
 */
export function createSend(deps: SendDeps): Send {
  const { now, wait } = deps
  const end = now() + WAIT_MS
  return async (url, init) => {
    for (;;) {
      const signal = init?.signal ?? AbortSignal.timeout(REQUEST_MS)
      const response = await deps
        .fetch(url, { redirect: 'manual', ...init, signal })
        .catch((cause) => {
          throw toCheckFailure(deps, cause)
        })
      const delay = retryAfter(response, now())
      if (response.status !== 429 || !(now() + delay <= end)) return response
      await wait(delay)
    }
  }
}

/** Sends a request that is declared as data. */
export function createSendRequest(send: Send): SendRequest {
  return ({ url, method, headers, body, form }) => {
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const hasBody = form !== undefined || body !== undefined
    return send(url, {
      method: method ?? (hasBody ? 'POST' : 'GET'),
      headers: { ...DEFAULT_HEADERS, ...(hasBody && { 'Content-Type': type }), ...headers },
      ...(hasBody && { body: form ? new URLSearchParams(form).toString() : JSON.stringify(body) }),
    })
  }
}

/** Some providers reject requests without a user agent; most return JSON only on request. */
export const DEFAULT_HEADERS = { Accept: 'application/json', 'User-Agent': 'Linchpin' }

const WAIT_MS = 6_000
const REQUEST_MS = 10_000

/** In milliseconds: seconds or a date (RFC 9110, section 10.2.3). NaN if absent. */
function retryAfter(response: Response, now: number): number {
  const header = response.headers.get('retry-after') ?? ''
  return /^\d+$/.test(header)
    ? Math.max(Number(header) * 1_000, 100)
    : Math.max(Date.parse(header) - now, 100)
}

function toCheckFailure({ name, hostField }: SendDeps, cause: unknown): CheckFailure {
  const { code } = ((cause as { cause?: unknown }).cause ?? {}) as { code?: string }
  if (code === 'ENOTFOUND' && hostField !== undefined)
    return new CheckFailure('wrong_host', `${name} was not found at this address.`, hostField)
  if (
    code === undefined &&
    (cause as Error).name === 'TypeError' &&
    !/fetch failed/.test(String(cause))
  )
    return new CheckFailure(
      'invalid_credentials',
      'The credentials contain characters that cannot be sent.',
    )
  return new CheckFailure(
    'provider_unreachable',
    `${name} cannot be reached. Try again in a moment.`,
  )
}
