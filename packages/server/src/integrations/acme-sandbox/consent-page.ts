import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptForms, getForm, getSearchParams } from '../../platform/http/browser-request.ts'
import { actions, button } from '../../platform/ui/field.ts'
import { stateHeader, toolTile } from '../../platform/ui/header.ts'
import { html } from '../../platform/ui/html.ts'
import {
  createPageLayout,
  type PageLayout,
  type Screen,
  sendScreen,
  statusScreen,
} from '../../platform/ui/screen.ts'
import {
  findSandboxPerson,
  SANDBOX_CLIENT_ID,
  SANDBOX_ORIGIN,
  SANDBOX_PEOPLE,
  type SandboxTokens,
} from './acme-sandbox.ts'

export interface ConsentPageDeps {
  readonly tokens: SandboxTokens
  /** The redirect URI of this service: the only one to which the page redirects. */
  readonly redirectUri: () => string
}

const PAGE_PATH = '/sandbox/authorize'

/** The URL that a browser opens for an authorization URL: the page of this service, if the URL is one of Acme Sandbox. */
export function toConsentPageUrl(authorizationUrl: string, baseUrl: string): string {
  const prefix = `${SANDBOX_ORIGIN}/authorize?`
  return authorizationUrl.startsWith(prefix)
    ? `${baseUrl}${PAGE_PATH}?${authorizationUrl.slice(prefix.length)}`
    : authorizationUrl
}

/** The authorization endpoint of Acme Sandbox (RFC 6749 section 3.1): a page on which a visitor chooses a person, or denies. */
export function consentPageRoutes(deps: ConsentPageDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    acceptForms(app, 1_024)
    const options = { config: { rawQuery: true }, schema: { hide: true } }
    app.get(PAGE_PATH, options, async (request, reply) => {
      const layout = createLayout(request)
      const isValid = parseRequest(deps, request) !== undefined
      return sendScreen(reply, layout, isValid ? consentScreen(layout) : invalidScreen(layout))
    })
    app.post(PAGE_PATH, options, async (request, reply) => answer(deps, request, reply))
  }
}

interface AuthorizationRequest {
  readonly redirectUri: string
  readonly state: string
  readonly codeChallenge: string
}

/** The parameters of the request; undefined unless it comes from this service (RFC 6749 section 4.1.1, RFC 7636). */
function parseRequest(
  { redirectUri }: ConsentPageDeps,
  request: FastifyRequest,
): AuthorizationRequest | undefined {
  const params = getSearchParams(request)
  const state = params.get('state') ?? ''
  const codeChallenge = params.get('code_challenge') ?? ''
  const isValid =
    params.get('response_type') === 'code' &&
    params.get('client_id') === SANDBOX_CLIENT_ID &&
    params.get('redirect_uri') === redirectUri() &&
    params.get('code_challenge_method') === 'S256' &&
    codeChallenge !== '' &&
    state !== ''
  return isValid ? { redirectUri: redirectUri(), state, codeChallenge } : undefined
}

/** Redirects with a code for the chosen person, or with `access_denied` (RFC 6749 section 4.1.2). */
function answer(deps: ConsentPageDeps, request: FastifyRequest, reply: FastifyReply) {
  const authorizationRequest = parseRequest(deps, request)
  const form = getForm(request)
  const person = findSandboxPerson(form.get('person') ?? '')
  if (authorizationRequest === undefined || (person === undefined && !form.has('deny'))) {
    const layout = createLayout(request)
    return sendScreen(reply, layout, invalidScreen(layout))
  }
  const { redirectUri, state, codeChallenge } = authorizationRequest
  const outcome: Record<string, string> =
    person === undefined
      ? { error: 'access_denied' }
      : { code: deps.tokens.issue('code', { person: person.id, redirectUri, codeChallenge }) }
  const query = new URLSearchParams({ ...outcome, state })
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(`${redirectUri}?${query}`, 303)
}

/** The page is part of a sign-in, which may run in a popup. */
function createLayout(request: FastifyRequest): PageLayout {
  return { ...createPageLayout(request), window: 'popup' }
}

function consentScreen({ messages: { sandbox: texts } }: PageLayout): Screen {
  const people = SANDBOX_PEOPLE.map(({ id, name }, index) =>
    button({
      text: texts.as({ account: name }),
      kind: index === 0 ? 'primary' : 'quiet',
      attributes: { name: 'person', value: id },
    }),
  )
  const deny = button({ text: texts.deny, kind: 'quiet', attributes: { name: 'deny', value: '1' } })
  return {
    state: 'sandboxConsent',
    status: 200,
    title: texts.title,
    main: html`${stateHeader({ mark: toolTile('Acme Sandbox'), title: texts.title, body: texts.access })}
<p class="quiet">${texts.body}</p>
<form method="post">${actions(...people, deny)}</form>`,
    formActionCsp: { sameOriginOnly: true, formOrigins: [] },
  }
}

function invalidScreen({ messages }: PageLayout): Screen {
  return statusScreen('sandboxInvalid', messages.sandbox.invalid, {
    status: 400,
    mark: 'bad',
  })
}
