import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import {
  type AuthorizationServer,
  bindToServer,
} from '../../../integrations/oauth/discovery/authorization-server.ts'
import {
  buildApp,
  discoverIssuer,
  isAppTaken,
} from '../../../integrations/oauth-apps/create-oauth-app.ts'
import {
  createOAuthClient,
  isSecretRequired,
} from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { type OAuthApp, readServer } from '../../../integrations/oauth-apps/oauth-app.ts'
import { APP_TEXTS } from '../../../integrations/oauth-apps/schemas.ts'
import { diagnoseClient } from '../../../integrations/oauth-apps/test-oauth-app.ts'
import { ApiError } from '../../../platform/errors.ts'
import { getRequestedBaseUrl } from '../../../platform/http/browser-request.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import { record } from '../../../platform/record/record-store.ts'
import { sendScreen } from '../../../platform/ui/screen.ts'
import type { ConnectSession } from '../../connect-sessions/connect-session.ts'
import { loadAppSetup } from '../app-setup/app-setup.ts'
import {
  APP_FIELDS,
  type AppFeedback,
  type AppField,
  type AppProblem,
  type AppSetup,
  appSetupScreen,
} from '../app-setup/app-setup-screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { tooManyFailedScreen } from '../error-pages.ts'
import {
  loadFormPage,
  type PageRequest,
  refuse,
  refuseKnown,
  sendRefusal,
} from '../load/load-page.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { getVisitor } from './submit-connect-form.ts'

/**
 * Handles the form in which a customer's administrator enters an OAuth app. The customer, the definition and the hosts are those
 * of the session, so a form that names any of them is refused. A second click shows what the first has stored.
 */
export async function submitAppSetup(
  deps: ConnectPageDeps,
  pageRequest: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadFormPage(deps, request, pageRequest)
  if (loaded.page === undefined) return sendRefusal(reply, loaded)
  const { page, form } = loaded
  const { connectSession } = page
  const setup = await loadAppSetup(deps, page)
  const names = [...form.keys(), ...pageRequest.searchParams.keys()]
  if (
    connectSession?.mode !== 'app' ||
    connectSession.completedAt !== null ||
    setup === undefined ||
    !names.every((name) => ALLOWED_NAMES.has(name))
  )
    return sendRefusal(reply, refuse(page))
  if (connectSession.oauthAppId !== null) return sendToPage(deps, page, request, reply)
  const outcome = await enterApp(deps, { page, connectSession, setup, form }, request)
  if (outcome === undefined) return sendToPage(deps, page, request, reply)
  if (typeof outcome === 'number')
    return sendScreen(reply, page, tooManyFailedScreen(page, outcome))
  if (outcome === 'ended') {
    const ended =
      (await deps.visitedSessions.find(connectSession.connectSessionId)) ?? connectSession
    return sendRefusal(reply, refuseKnown(deps, page, ended, page, 'used'))
  }
  return sendScreen(reply, page, appSetupScreen(page, setup, outcome))
}

/** What the form and its URL may have. Everything else is decided by the session. */
const ALLOWED_NAMES: ReadonlySet<string> = new Set([
  ...APP_FIELDS,
  ...['visit', 'save', 'lang', 'theme', 'view'],
])

interface EnteredApp {
  readonly page: PageContext
  readonly connectSession: ConnectSession
  readonly setup: AppSetup
  readonly form: URLSearchParams
}

/** Stores the app. Undefined on success; otherwise what to correct, the seconds to wait, or that the session has ended. */
async function enterApp(
  deps: ConnectPageDeps,
  entered: EnteredApp,
  request: FastifyRequest,
): Promise<AppFeedback | 'ended' | number | undefined> {
  const { connectSession, setup, form } = entered
  const { values, feedback } = readForm(entered)
  if (feedback !== undefined) return feedback
  const { clientSecret, ...shown } = values
  const { allowedHosts, accountIdentifier } = connectSession
  const isTested = form.get('save') !== 'anyway'
  if (isTested || values.issuer !== null) {
    const seconds = deps.appTests.take(connectSession.connectSessionId)
    if (seconds > 0) return seconds
  }
  const server = await findServer(deps, setup.definition, values)
  if (server === 'none')
    return {
      entered: shown,
      errors: { issuer: entered.page.messages.setup.noIssuer },
      problems: [],
    }
  const described = {
    ...values,
    allowedHosts: allowedHosts === null ? null : [...allowedHosts],
    accountIdentifier,
    isDefault: false,
  }
  const app = await buildApp(deps, setup.definition, described, server)
  if (isTested) {
    const problems = await testApp(deps, entered, app, clientSecret)
    if (problems.length > 0) return { entered: shown, errors: {}, problems }
  }
  return (await storeApp(deps, entered, app, request)) ? undefined : 'ended'
}

/** The server at an issuer; undefined where the spec has its endpoints. */
async function findServer(
  deps: ConnectPageDeps,
  definition: Definition,
  values: { readonly issuer: string | null },
): Promise<AuthorizationServer | 'none' | undefined> {
  try {
    return await discoverIssuer(deps, definition, values)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'mcp_server_invalid') return 'none'
    throw error
  }
}

/** The values of the form, without the spaces that come from copy and paste, and what is wrong with them. */
function readForm({ page, setup, form }: EnteredApp) {
  const { messages } = page
  const read = (name: AppField) => form.get(name)?.trim() ?? ''
  const labels: Readonly<Record<AppField, string>> = {
    issuer: messages.setup.issuer,
    clientId: messages.setup.clientId,
    clientSecret: messages.setup.clientSecret,
    redirectName: setup.type.redirectName ?? '',
  }
  const { redirectName: nameOfRedirect, discoveredFrom } = setup.type
  const required: readonly AppField[] = [
    ...(discoveredFrom === undefined ? [] : ['issuer' as const]),
    'clientId',
    ...(nameOfRedirect === undefined ? [] : ['redirectName' as const]),
  ]
  const errors: AppFeedback['errors'] = {}
  for (const name of APP_FIELDS) {
    const { maxLength, pattern } = APP_TEXTS[name]
    const [text, label] = [read(name), labels[name]]
    if (text === '') {
      if (required.includes(name)) errors[name] = messages.form.missing({ label })
    } else if (text.length > maxLength) errors[name] = messages.form.tooLong({ count: maxLength })
    else if (!new RegExp(pattern).test(text))
      errors[name] = messages.form.patternMismatch({ label })
  }
  const redirectName = required.includes('redirectName') ? read('redirectName') : null
  const issuer = required.includes('issuer') ? read('issuer') : null
  const shown = { issuer, clientId: read('clientId'), redirectName }
  const values = { ...shown, clientSecret: read('clientSecret') || null }
  const isValid = Object.keys(errors).length === 0
  const feedback: AppFeedback | undefined = isValid
    ? undefined
    : { entered: shown, errors, problems: [] }
  return { values, feedback }
}

/** What the test of an app finds that keeps it from working. Nothing is stored, except that it was tested. */
async function testApp(
  deps: ConnectPageDeps,
  { page, setup }: EnteredApp,
  app: OAuthApp,
  clientSecret: string | null,
): Promise<AppProblem[]> {
  try {
    const client = createOAuthClient(deps, app, clientSecret ?? undefined, { isAudited: true })
    const server = readServer(app)
    const type = server === undefined ? setup.type : bindToServer(setup.type, { server })
    const config = page.given
    const { checks } = await diagnoseClient(deps, { app, type, client, config })
    return checks.flatMap(({ name, status }) => {
      const problem = status === 'failed' ? PROBLEMS[name] : undefined
      return problem === undefined ? [] : [problem]
    })
  } catch (error) {
    if (isSecretRequired(error)) return ['notAllowed']
    throw error
  }
}

const PROBLEMS: Readonly<Record<string, AppProblem>> = {
  client_credentials: 'client',
  token_endpoint: 'unreachable',
  redirect_uri: 'redirectUri',
}

/** Stores the app and the session's reference to it. False if the session has ended, or the customer has an app by now. */
async function storeApp(
  deps: ConnectPageDeps,
  { page, connectSession, setup: { definition } }: EnteredApp,
  app: OAuthApp,
  request: FastifyRequest,
): Promise<boolean> {
  const { connectSessionId } = connectSession
  const { workspaceId, definitionId, oauthAppId } = app
  try {
    return await deps.database.transaction(
      async (trx) => {
        const { access } = page
        const current = await deps.definitions.findLive(trx, access, workspaceId, definitionId)
        // The secret is bound to the endpoints of this spec.
        if (current?.bundleSha256 !== definition.bundleSha256) return false
        const now = deps.now()
        if (!(await deps.visitedSessions.setOAuthApp(trx, connectSessionId, oauthAppId, now)))
          return false
        await deps.oauthApps.insert(trx, app)
        await record(trx, getVisitor(page, request), now, {
          action: 'oauth_app.created',
          workspaceId,
          subject: oauthAppId,
          detail: { definitionId, connectSessionId },
        })
        return true
      },
      { serializable: true },
    )
  } catch (error) {
    if (isAppTaken(error)) return false
    throw error
  }
}

function sendToPage(
  { baseUrl }: Pick<ConnectPageDeps, 'baseUrl'>,
  page: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return redirect(reply, `${getRequestedBaseUrl(request, baseUrl())}${buildPageUrl(page)}`)
}
