import { BOOKS_SCOPE, createConsent } from './books-consent.ts'
import { getCredential } from './get-credential.ts'
import { readForm } from './read-form.ts'
import type { ExampleRequest, ExampleResponse, Route } from './route.ts'

/** The only OAuth client of Acme Books. */
export const BOOKS_CLIENT = { client_id: 'books-client', client_secret: 'books-secret' } as const

/**
 * Acme Books, accounting with OAuth 2 (RFC 6749, RFC 7009). Each path may start with a tenant: `/north/oauth/token`.
 *
 * - `GET /oauth/authorize`: a consent page, then a redirect to `redirect_uri`. PKCE is optional and must be S256.
 * - `POST /oauth/token`: codes and refresh tokens, form or JSON, client in the body or as HTTP Basic. A code is valid
 *   once, for 60 s, and yields a `refresh_once_…`. `refresh_live_…` is always valid, `refresh_once_…` once; any other
 *   token is `invalid_grant`. Both rotate.
 * - `POST /oauth/revoke`: revokes an access or refresh token.
 * - `GET /api/account`: requires an access token (valid for one hour) or an API key `books_live_…`.
 */
export function createBooksRoutes(now: () => number = Date.now): Route[] {
  const books = createBooks(now)
  return [
    { method: 'GET', path: /^(\/[a-z0-9-]+)?\/oauth\/authorize$/, handle: books.authorize },
    { method: 'POST', path: /^(\/[a-z0-9-]+)?\/oauth\/authorize$/, handle: books.decide },
    { method: 'POST', path: /^(\/[a-z0-9-]+)?\/oauth\/token$/, handle: books.token },
    { method: 'POST', path: /^(\/[a-z0-9-]+)?\/oauth\/revoke$/, handle: books.revoke },
    { method: 'GET', path: /^(\/[a-z0-9-]+)?\/api\/account$/, handle: books.account },
  ]
}

const EXPIRES_IN_SECONDS = 3_600

function createBooks(now: () => number) {
  const consent = createConsent(BOOKS_CLIENT.client_id, now)
  const issued = new Map<string, number>()
  const revoked = new Set<string>()
  let count = 0

  function token(request: ExampleRequest): ExampleResponse {
    const form = readForm(request)
    if (!form) return createOAuthError(400, 'invalid_request')
    if (!isKnownClient(request, form)) return createOAuthError(401, 'invalid_client')
    if (form.grant_type === 'authorization_code') {
      const scope = consent.redeem(form)
      return scope === undefined
        ? createOAuthError(400, 'invalid_grant')
        : tokens('once', 'code', scope)
    }
    if (form.grant_type !== 'refresh_token') return createOAuthError(400, 'unsupported_grant_type')
    const kind = /^refresh_(live|once)_/.exec(form.refresh_token ?? '')?.[1]
    if (!kind || revoked.has(form.refresh_token ?? ''))
      return createOAuthError(400, 'invalid_grant')
    if (kind === 'once') revoked.add(form.refresh_token ?? '')
    return tokens(kind, 'rotated', BOOKS_SCOPE)
  }

  function tokens(kind: string, origin: string, scope: string): ExampleResponse {
    count += 1
    const access = `access_${count}`
    issued.set(access, now() + EXPIRES_IN_SECONDS * 1_000)
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: EXPIRES_IN_SECONDS,
        refresh_token: `refresh_${kind}_${origin}_${count}`,
        scope,
      },
    }
  }

  function revoke(request: ExampleRequest): ExampleResponse {
    const form = readForm(request)
    if (!form?.token) return createOAuthError(400, 'invalid_request')
    if (!isKnownClient(request, form)) return createOAuthError(401, 'invalid_client')
    revoked.add(form.token)
    return { status: 200, body: {} }
  }

  function respondWithAccount(request: ExampleRequest): ExampleResponse {
    const bearer = getCredential(request)
    const isLive = (issued.get(bearer) ?? 0) > now() || bearer.startsWith('books_live_')
    if (!isLive || revoked.has(bearer)) {
      const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
      return { status: 401, headers, body: { error: 'invalid_token' } }
    }
    const tenant = /^\/([a-z0-9-]+)\/api\/account$/.exec(request.path)?.[1]
    const subdomain = tenant ?? 'north'
    return { status: 200, body: { id: `org_${subdomain}`, name: 'Acme Books', subdomain } }
  }

  return {
    authorize: consent.authorize,
    decide: consent.decide,
    token,
    revoke,
    account: respondWithAccount,
  }
}

function isKnownClient(request: ExampleRequest, form: Record<string, string>): boolean {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent)
    : [form.client_id, form.client_secret]
  return id === BOOKS_CLIENT.client_id && secret === BOOKS_CLIENT.client_secret
}

function createOAuthError(status: number, error: string): ExampleResponse {
  return { status, headers: { 'Cache-Control': 'no-store' }, body: { error } }
}
