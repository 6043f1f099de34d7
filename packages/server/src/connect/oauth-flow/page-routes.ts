import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { hashSecret } from '../../access/auth/access-token.ts'
import {
  getIntegrationIcon,
  isCustomIntegration,
} from '../../integrations/catalogue/integration-icon.ts'
import {
  generateCodeVerifier,
  generateState,
} from '../../integrations/oauth/authorize/authorization-request.ts'
import { fillUrlTemplate } from '../../integrations/oauth/template.ts'
import { ApiError } from '../../platform/errors.ts'
import { acceptForms, getForm, isSameOrigin } from '../../platform/http/browser-request.ts'
import { toApiError } from '../../platform/http/error-handler.ts'
import { logFailure } from '../../platform/http/log.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { redirect } from '../../platform/http/send-page.ts'
import { errorScreen } from '../../platform/ui/error-screen.ts'
import {
  createPageLayout,
  type PageLayout,
  type Screen,
  sendScreen,
} from '../../platform/ui/screen.ts'
import { oauthCallbackRoute } from './callback/handle-oauth-callback.ts'
import {
  consentScreen,
  failedScreen,
  getSessionNames,
  redirectAfterOAuth,
  sendErrorPage,
  showFinishPage,
  submitAnswers,
  VIEW_FIELD,
} from './finish-page.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import { failSession } from './session/end-session.ts'
import {
  chooseBrowserSecret,
  isSameBrowser,
  type OAuthSessionId,
  readBrowserSecret,
  setBrowserSecret,
} from './session/oauth-session.ts'
import {
  loadSessionContext,
  type OAuthSessionContext,
  sealSessionSecrets,
} from './session/session-context.ts'
import { prepareAuthorizationUrl } from './start/start-in-browser.ts'

/** The HTML pages of the OAuth flow and its callback. They need no access token. */
export function oauthPageRoutes(deps: OAuthFlowDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    setPageErrorHandler(app, deps)
    acceptForms(app, MAX_ANSWERS)
    const config = { rawQuery: true }
    const params = Type.Object({ token: Type.String() })
    app.get('/oauth/connect/:token', {
      config,
      schema: { hide: true, params },
      handler: (request, reply) => showOAuthPage(deps, request.params.token, request, reply),
    })
    app.post('/oauth/connect/:token', {
      config,
      schema: { hide: true, params },
      handler: (request, reply) => redirectToProvider(deps, request.params.token, request, reply),
    })
    app.get('/oauth/finished/:sessionId', {
      config,
      schema: {
        hide: true,
        params: Type.Object({
          sessionId: IdOf<OAuthSessionId>({ description: 'ID of the OAuth session.' }),
        }),
      },
      handler: (request, reply) => showFinishPage(deps, request.params.sessionId, request, reply),
    })
    app.post('/oauth/finished/:sessionId', {
      config,
      schema: {
        hide: true,
        params: Type.Object({
          sessionId: IdOf<OAuthSessionId>({ description: 'ID of the OAuth session.' }),
        }),
      },
      handler: (request, reply) => submitAnswers(deps, request.params.sessionId, request, reply),
    })
    app.route(oauthCallbackRoute(deps))
  }
}

/** Five values of at most 500 characters, percent-encoded. */
const MAX_ANSWERS = 32_768

/** Sends an HTML page for errors too. */
export function setPageErrorHandler(
  app: FastifyInstance,
  { translateError }: Pick<OAuthFlowDeps, 'translateError'>,
): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error, translateError)
    logFailure(request, failure)
    const status = failure.statusCode
    if (status >= 500) return sendErrorPage(request, reply, 503, 'busy')
    return sendErrorPage(request, reply, status, 'notKnown')
  })
}

/** Shows which workspace wants access to which tool. Changes nothing, so link previews and scanners do no harm. */
async function showOAuthPage(
  deps: OAuthFlowDeps,
  pageToken: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const canonicalUrl = deps.publicAddress(request)
  if (canonicalUrl !== undefined) return redirect(reply, canonicalUrl)
  const layout = createPageLayout(request)
  const browserSecret = readBrowserSecret(request, deps.baseUrl())
  const context = await loadByPageToken(deps, pageToken, browserSecret, layout)
  if ('screen' in context) return sendScreen(reply, context.layout, context.screen)
  const { workspace, definition, type, values } = context
  const signIn = new URL(fillUrlTemplate(type.authorizationUrl, values, type.templateFields))
  const names = { workspace: workspace.name, tool: definition.name, host: signIn.host }
  const screen = consentScreen(layout.messages, names, {
    custom: isCustomIntegration(definition),
    isReconnect: context.account !== undefined,
    icon: getIntegrationIcon(definition),
    view: generateState(),
    formOrigins: signIn.protocol === 'http:' ? [signIn.origin] : [],
  })
  return sendScreen(reply, { ...layout, branding: workspace.settings.theme }, screen)
}

/**
 * Binds the session to this browser and redirects to the authorization URL. The same browser may repeat this until the
 * callback, for example after a double click or the back button: each time with a new state, of which the last is
 * valid.
 */
async function redirectToProvider(
  deps: OAuthFlowDeps,
  pageToken: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const baseUrl = deps.baseUrl()
  if (!isSameOrigin(request, baseUrl)) return sendErrorPage(request, reply, 403, 'notOurs')
  const browserSecret = chooseBrowserSecret(request, baseUrl, getForm(request).get(VIEW_FIELD))
  const layout = createPageLayout(request)
  const context = await loadByPageToken(deps, pageToken, browserSecret, layout)
  if ('screen' in context) return sendScreen(reply, context.layout, context.screen)
  const state = generateState()
  const codeVerifier = generateCodeVerifier()
  setBrowserSecret(request, reply, baseUrl, browserSecret)
  const binding = {
    stateHash: hashSecret(state),
    browserHash: hashSecret(browserSecret),
    sealed: await sealSessionSecrets(deps.vault, context.session, {
      ...context.secrets,
      codeVerifier,
    }),
  }
  const pageHash = hashSecret(pageToken)
  const isBound = await deps.database.transaction((trx) =>
    deps.oauthSessions.bindBrowser(trx, pageHash, binding, deps.now()),
  )
  if (!isBound) return sendErrorPage(request, reply, 404, 'notKnown')
  try {
    return redirect(reply, await prepareAuthorizationUrl(deps, context, { state, codeVerifier }))
  } catch (error) {
    const caller = { requestId: request.id, ip: request.auditIp }
    const outcome = await failSession(deps, context.session, error, caller)
    return redirectAfterOAuth(deps, context.session, outcome, reply)
  }
}

/** The session of a page token, or the error screen to show instead. */
async function loadByPageToken(
  deps: OAuthFlowDeps,
  pageToken: string,
  browserSecret: string | undefined,
  layout: PageLayout,
): Promise<OAuthSessionContext | { readonly layout: PageLayout; readonly screen: Screen }> {
  const { messages } = layout
  const notFound = { layout, screen: errorScreen(layout, 'notKnown') }
  const session = await deps.oauthSessions.findByPage(hashSecret(pageToken), deps.now())
  if (session === undefined) return notFound
  const isOtherBrowser =
    session.browserHash !== null && !isSameBrowser(browserSecret, session.browserHash)
  if (isOtherBrowser) return notFound
  try {
    return await loadSessionContext(deps, session)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const names = await getSessionNames(deps, session)
    if (names === undefined) return notFound
    const branded = { ...layout, branding: names.settings.theme }
    return { layout: branded, screen: failedScreen(messages, names, error.code, 400) }
  }
}
