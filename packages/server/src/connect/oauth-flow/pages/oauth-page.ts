import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/hash-secret.ts'
import { generateCodeVerifier, generateState } from '../../../integrations/oauth/authorize/pkce.ts'
import { fillUrlTemplate } from '../../../integrations/oauth/template/url-template.ts'
import { ApiError } from '../../../platform/errors.ts'
import { getForm } from '../../../platform/http/form-body.ts'
import { isSameOrigin } from '../../../platform/http/get-requested-host.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import { getAssetUrl } from '../../../platform/ui/assets.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import {
  createPageLayout,
  type PageLayout,
  type Screen,
  sendScreen,
} from '../../../platform/ui/screen.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import {
  chooseBrowserSecret,
  isSameBrowser,
  readBrowserSecret,
  setBrowserSecret,
} from '../session/browser-secret.ts'
import { failSession } from '../session/end-session.ts'
import {
  getTemplateValues,
  loadSessionContext,
  type OAuthSessionContext,
  sealSessionSecrets,
} from '../session/session-context.ts'
import { prepareAuthorizationUrl } from '../start/prepare-authorization-url.ts'
import { getSessionNames, redirectAfterOAuth } from './finish-page.ts'
import { consentScreen, failedScreen, sendErrorPage, VIEW_FIELD } from './oauth-screens.ts'

/** Shows which workspace wants access to which tool. Changes nothing, so link previews and scanners do no harm. */
export async function showOAuthPage(
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
  const { workspace, definition, type, secrets, app } = context
  const values = getTemplateValues(secrets.config, app)
  const signIn = new URL(fillUrlTemplate(type.authorizationUrl, values, type.templateFields))
  const names = { workspace: workspace.name, tool: definition.name, host: signIn.host }
  const custom = definition.releaseStage === 'CUSTOM'
  const icon = custom ? undefined : getAssetUrl(`icons/${definition.key}.svg`)
  const screen = consentScreen(layout.messages, names, {
    custom,
    isReconnect: context.account !== undefined,
    icon,
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
export async function redirectToProvider(
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
