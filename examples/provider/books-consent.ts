import { createHash, randomBytes } from 'node:crypto'
import { escapeHtml, PAGE_HEADERS, renderPage } from '../render-page.ts'
import { readForm } from './read-form.ts'
import type { ExampleRequest, ExampleResponse } from './route.ts'

/** The consent page and the authorization codes that it issues. */
export interface Consent {
  /** `GET /oauth/authorize`: shows the client and its scopes, with two buttons. */
  authorize(request: ExampleRequest): ExampleResponse
  /** `POST` of that page: redirects to `redirect_uri` with a code or with `access_denied`. */
  decide(request: ExampleRequest): ExampleResponse
  /** Redeems a code once, within 60 s, for the client that requested it: its scope, otherwise undefined. */
  redeem(form: Readonly<Record<string, string>>): string | undefined
}

/** The scope when the request has none. */
export const BOOKS_SCOPE = 'books.read offline_access'

const CODE_TTL_MS = 60_000

/** @param clientId the only registered client. @param now epoch milliseconds */
export function createConsent(clientId: string, now: () => number): Consent {
  const codes = new Map<string, IssuedCode>()
  return {
    authorize: (request) => findInvalidRequest(clientId, request) ?? renderConsentPage(request),
    decide(request) {
      const errorResponse = findInvalidRequest(clientId, request)
      if (errorResponse) return errorResponse
      const decision = readForm(request)?.decision
      if (decision === 'deny') return redirectBack(request, { error: 'access_denied' })
      if (decision !== 'allow')
        return renderErrorPage('Acme Books does not understand this response.')
      const code = randomBytes(24).toString('base64url')
      const { query } = request
      codes.set(code, {
        redirectUri: query.get('redirect_uri') ?? '',
        challenge: query.get('code_challenge'),
        scope: getScope(query),
        expiresAt: now() + CODE_TTL_MS,
      })
      return redirectBack(request, { code })
    },
    redeem({ code = '', redirect_uri: redirectUri, code_verifier: verifier }) {
      const grantedCode = codes.get(code)
      // Delete first: a code can be tried only once.
      codes.delete(code)
      if (!grantedCode || grantedCode.expiresAt <= now() || grantedCode.redirectUri !== redirectUri)
        return undefined
      return matchesChallenge(grantedCode.challenge, verifier) ? grantedCode.scope : undefined
    },
  }
}

interface IssuedCode {
  readonly redirectUri: string
  /** S256 challenge (RFC 7636); null when the client sent none. */
  readonly challenge: string | null
  readonly scope: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** An error page, or undefined. Never redirects to an unverified redirect URI (RFC 6749 section 4.1.2.1). */
function findInvalidRequest(
  clientId: string,
  request: ExampleRequest,
): ExampleResponse | undefined {
  const { query } = request
  if (query.get('client_id') !== clientId)
    return renderErrorPage('Acme Books does not know the app that sent you here.')
  const target = URL.parse(query.get('redirect_uri') ?? '')
  if (target === null || !/^https?:$/.test(target.protocol))
    return renderErrorPage('The app that sent you here did not specify where to return to.')
  if (query.get('response_type') !== 'code')
    return redirectBack(request, { error: 'unsupported_response_type' })
  const isPlain = query.get('code_challenge_method') !== 'S256'
  return query.has('code_challenge') && isPlain
    ? redirectBack(request, { error: 'invalid_request' })
    : undefined
}

function renderConsentPage({ path, query }: ExampleRequest): ExampleResponse {
  const tenant = /^\/([a-z0-9-]+)\/oauth\//.exec(path)?.[1] ?? 'north'
  const { host } = new URL(query.get('redirect_uri') ?? '')
  const scopes = getScope(query).split(' ')
  const content = `<p>You are signed in to the books of <b>${escapeHtml(tenant)}</b>. The app <b>${escapeHtml(query.get('client_id') ?? '')}</b> asks for:</p>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<p>Either way you go back to ${escapeHtml(host)}.</p>
<form method="post">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`
  return {
    status: 200,
    headers: PAGE_HEADERS,
    body: renderPage('Acme Books: allow access?', content),
  }
}

function getScope(query: URLSearchParams): string {
  return query.get('scope') || BOOKS_SCOPE
}

function redirectBack(
  { query }: ExampleRequest,
  values: Readonly<Record<string, string>>,
): ExampleResponse {
  const url = new URL(query.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  const state = query.get('state')
  if (state !== null) url.searchParams.set('state', state)
  const headers = { Location: url.href, 'Referrer-Policy': 'no-referrer' }
  return { status: 303, headers, body: '' }
}

function renderErrorPage(sentence: string): ExampleResponse {
  const body = renderPage('Acme Books cannot continue', `<p>${escapeHtml(sentence)}</p>`)
  return { status: 400, headers: PAGE_HEADERS, body }
}

function matchesChallenge(challenge: string | null, verifier = ''): boolean {
  if (challenge === null) return true
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
