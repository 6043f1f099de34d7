import type { RevocationSpecification } from '@linchpin/runner/protocol'

/**
 * Why a request cannot revoke anything, or would reveal a secret, to follow its name and without a period. URLs are written to
 * logs, by proxies and providers: a secret may be in headers, the body and `query` alone.
 *
 * @param secretFields the fields whose values are secret
 */
export function findRevocationProblem(
  request: RevocationSpecification,
  secretFields: readonly string[] = [],
): string | undefined {
  const { method, url, form, json, auth_method: authMethod } = request
  const inUrl = listNames(url).find((name) => SECRETS.has(name) || secretFields.includes(name))
  if (inUrl !== undefined)
    return `has ${inUrl} in its URL: only headers, the body and query may contain a secret`
  const sent = listRevocationNames(request)
  const names = TOKENS.filter((name) => sent.has(name))
  if (names.length === 0) return 'names no token: token, access_token or refresh_token'
  if (sent.has('token') && names.length > 1)
    return `names token and ${names[1]}, but token stands for one after the other`
  if (form !== undefined && json !== undefined) return 'has two bodies: use JSON or a form'
  const hasBody = form !== undefined || json !== undefined
  if (method === 'GET' && hasBody) return 'has a body, which GET cannot send'
  return authMethod === 'body' && !hasBody
    ? 'sends the client in the body, but has no body'
    : undefined
}

/** The names in everything but the URL. */
export function listRevocationNames({
  query,
  headers,
  form,
  json,
}: RevocationSpecification): ReadonlySet<string> {
  const templates = [query, headers, form, json].flatMap((part) => Object.values(part ?? {}))
  return new Set(templates.flatMap(listNames))
}

function listNames(template: string): string[] {
  return [...template.matchAll(/\$\{([\w.-]+)\}/g)].map(([, name = '']) => name)
}

/** The request of RFC 7009, section 2.1: always a form, whatever the token endpoint accepts. */
export function createStandardRevocation(
  url: string,
  authMethod: 'body' | 'header',
): RevocationSpecification {
  return {
    url,
    form: { token: '${token}', token_type_hint: '${token_type_hint}' },
    auth_method: authMethod,
  }
}

/** The most requests that revoke the tokens of one sign-in. */
export const MAX_REVOCATION_REQUESTS = 3

/** The tokens that a request may take. */
const TOKENS = ['token', 'access_token', 'refresh_token'] as const
const SECRETS: ReadonlySet<string> = new Set([...TOKENS, 'client_secret'])
