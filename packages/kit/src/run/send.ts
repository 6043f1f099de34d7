import type { SendPlain } from '../auth/auth-kind.ts'
import { Refusal } from './refusal.ts'

/** What sending needs from outside. */
export interface SendDeps {
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds of a clock. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** The provider's name, for sentences. */
  readonly name: string
  /** The field in which somebody typed where the provider is; undefined: no address can be wrong. */
  readonly typedHost: string | undefined
}

export type Send = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Sends requests that wait out a 429 where `Retry-After` lets them end in time: all waiting of a
 * command together takes at most 6 s, so that the jail's 15 s are never used up. Redirects are handed
 * back, since credentials must not follow them.
 *
 * @throws Refusal `provider_unreachable` or `wrong_host` when there is no answer
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
          throw noAnswer(deps, cause)
        })
      const pause = retryAfter(response, now())
      if (response.status !== 429 || !(now() + pause <= end)) return response
      await wait(pause)
    }
  }
}

/** The same for requests that are written as data. */
export function createSendPlain(send: Send): SendPlain {
  return ({ url, method, headers, body, form }) => {
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const hasBody = form !== undefined || body !== undefined
    return send(url, {
      method: method ?? (hasBody ? 'POST' : 'GET'),
      headers: { ...USUAL, ...(hasBody && { 'Content-Type': type }), ...headers },
      ...(hasBody && { body: form ? new URLSearchParams(form).toString() : JSON.stringify(body) }),
    })
  }
}

/** Some providers refuse requests without a name; most answer JSON only when asked. */
export const USUAL = { Accept: 'application/json', 'User-Agent': 'Linchpin' }

const WAIT_MS = 6_000
const REQUEST_MS = 10_000

/** In milliseconds: seconds or a date (RFC 9110, section 10.2.3). NaN where it does not say. */
function retryAfter(response: Response, now: number): number {
  const said = response.headers.get('retry-after') ?? ''
  return /^\d+$/.test(said)
    ? Math.max(Number(said) * 1_000, 100)
    : Math.max(Date.parse(said) - now, 100)
}

function noAnswer({ name, typedHost }: SendDeps, cause: unknown): Refusal {
  const { code } = ((cause as { cause?: unknown }).cause ?? {}) as { code?: string }
  if (code === 'ENOTFOUND' && typedHost !== undefined)
    return new Refusal('wrong_host', `${name} is not at this address.`, typedHost)
  if (
    code === undefined &&
    (cause as Error).name === 'TypeError' &&
    !/fetch failed/.test(String(cause))
  )
    return new Refusal('invalid_credentials', 'There are characters in it that cannot be sent.')
  return new Refusal('provider_unreachable', `${name} does not answer now. Try again in a moment.`)
}
