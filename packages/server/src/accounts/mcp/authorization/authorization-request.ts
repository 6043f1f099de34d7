import type { IncomingMessage } from 'node:http'
import { ENDPOINTS, SCOPES } from './metadata.ts'

/**
 * What the library gets to see of a request: the path of an endpoint, and the host and scheme of the public URL, although clients choose
 * the request target and all headers.
 */
export function toAuthorizationRequest(
  request: IncomingMessage,
  path: string,
  baseUrl: string,
): IncomingMessage {
  const { protocol, host, pathname } = new URL(baseUrl)
  const query = (request.url ?? '').split('?').slice(1).join('?')
  const search = path === ENDPOINTS.authorization ? normalizeQuery(query) : query
  const { cookie, authorization } = request.headers
  const forwarded = FORWARDED.map((name) => [name, request.headers[name]])
  request.headers = {
    ...Object.fromEntries(forwarded.filter(([, value]) => value !== undefined)),
    ...(authorization !== undefined && { authorization }),
    ...(cookie !== undefined && { cookie: selectCookies(cookie) }),
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
  }
  request.url = search === '' ? path : `${path}?${search}`
  // The path of the public URL, which a proxy has removed.
  return Object.assign(request, { baseUrl: pathname.replace(/\/$/, ''), originalUrl: undefined })
}

const FORWARDED = ['accept', 'content-type', 'content-length', 'transfer-encoding', 'origin']

/** Those of the authorization request, whose session no cookie continues. */
function selectCookies(cookie: string): string {
  return cookie
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => /^(?:__Secure-)?linchpin-mcp-(?:resume|sign-in)(?:\.sig)?=/.test(pair))
    .join('; ')
}

/** Parameters of OpenID Connect that change nothing here: without `openid`, the library would refuse them. */
const IGNORED = [
  'acr_values',
  'claims',
  'claims_locales',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'ui_locales',
]

/** Requests the scopes that there are: clients also ask for `openid` and the like. */
function normalizeQuery(query: string): string {
  const params = new URLSearchParams(query)
  for (const name of IGNORED) params.delete(name)
  if (params.get('prompt') !== 'none') params.delete('prompt')
  // The library would send its own page with a form, also with the error.
  if ((params.get('response_mode') ?? 'query') !== 'query')
    params.set('response_mode', 'unsupported')
  // Twice is an error, for the library to report.
  if (params.getAll('scope').length > 1) return params.toString()
  const requested = (params.get('scope') ?? '').split(' ')
  params.set('scope', requested.includes('write') ? SCOPES.join(' ') : 'read')
  return params.toString()
}
