import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { hashSecret, newCodeVerifier, newState } from '../../oauth/authorize/random.ts'
import { fillTemplate } from '../../oauth/template/url-template.ts'
import { assetUrl } from '../../page/assets.ts'
import { isSameOrigin } from '../../page/same-origin.ts'
import { sendOn } from '../../page/send-page.ts'
import { settingsOf } from '../../workspace/settings-of.ts'
import type { StoredSettings } from '../../workspace/workspace.ts'
import { type AttemptContext, loadAttempt } from '../attempt/attempt-context.ts'
import { sealAttempt } from '../attempt/attempt-secrets.ts'
import { endAttempt } from '../attempt/end-attempt.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { templateValues } from '../start/judge-start-config.ts'
import { attemptNames, workspaceName } from './attempt-names.ts'
import {
  chooseBrowserSecret,
  isSameBrowser,
  keepBrowserSecret,
  readBrowserSecret,
} from './browser-secret.ts'
import { consentUrl } from './consent-url.ts'
import { leaveOAuth } from './leave-oauth.ts'
import { consentPage, failedPage, type Screen, stopPage } from './pages.ts'
import { sendScreen, sendStop } from './send-screen.ts'

/** Shows who asks for what. Changes nothing, so that previews and scanners of links do no harm. */
export async function showOAuthPage(
  deps: ConnectDeps,
  pageToken: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const address = deps.publicAddress(request)
  if (address !== undefined) return sendOn(reply, address)
  const context = await findByPage(deps, pageToken, readBrowserSecret(request, deps.baseUrl()))
  if ('screen' in context) return sendScreen({ request, reply, ...context }, context.screen)
  const { workspace, definition, type, secrets, app } = context
  const values = templateValues(secrets.config, app)
  const signIn = new URL(fillTemplate(type.authorizationUrl, values, type.templateFields))
  const names = { workspace: workspaceName(workspace), tool: definition.name, host: signIn.host }
  const custom = definition.release_stage === 'CUSTOM'
  const icon = custom ? undefined : assetUrl(`icons/${definition.key}.svg`)
  const is = { custom, again: context.account !== undefined, icon, view: newState() }
  const formOrigins = signIn.protocol === 'http:' ? [signIn.origin] : []
  const showing = { status: 200, settings: settingsOf(workspace), formOrigins }
  return sendScreen({ request, reply, ...showing }, consentPage(names, is))
}

/**
 * Binds the attempt to this browser, and sends the person to sign in. The same browser may do so again until it comes back
 * from the provider, such as after a double click or with "back": each time with a new state, and the last one counts.
 */
export async function beginOAuth(
  deps: ConnectDeps,
  pageToken: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const baseUrl = deps.baseUrl()
  if (!isSameOrigin(request, baseUrl)) return sendStop(request, reply, 403, 'notOurs')
  const secret = chooseBrowserSecret(request, baseUrl, request.body)
  const context = await findByPage(deps, pageToken, secret)
  if ('screen' in context) return sendScreen({ request, reply, ...context }, context.screen)
  const state = newState()
  const codeVerifier = newCodeVerifier()
  keepBrowserSecret(request, reply, baseUrl, secret)
  const beginning = {
    stateHash: hashSecret(state),
    browserHash: hashSecret(secret),
    sealed: await sealAttempt(deps.vault, context.attempt, { ...context.secrets, codeVerifier }),
  }
  const pageHash = hashSecret(pageToken)
  const isOurs = await deps.database.transaction((trx) =>
    deps.attempts.begin(trx, pageHash, beginning, deps.now()),
  )
  if (!isOurs) return sendStop(request, reply, 404, 'notKnown')
  try {
    return sendOn(reply, await consentUrl(deps, context, { state, codeVerifier }))
  } catch (error) {
    const outcome = await endAttempt(deps, context.attempt, error, request.id)
    return leaveOAuth(deps, context.attempt, outcome, reply)
  }
}

/** Why a page cannot be shown. */
interface Stop {
  readonly status: number
  readonly screen: Screen
  readonly settings?: StoredSettings
}

async function findByPage(
  deps: ConnectDeps,
  pageToken: string,
  secret: string | undefined,
): Promise<AttemptContext | Stop> {
  const attempt = await deps.attempts.findByPage(hashSecret(pageToken), deps.now())
  if (attempt === undefined) return NOT_KNOWN
  const isElsewhere = attempt.browser_hash !== null && !isSameBrowser(secret, attempt.browser_hash)
  if (isElsewhere) return NOT_KNOWN
  try {
    return await loadAttempt(deps, attempt)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const names = await attemptNames(deps, attempt)
    if (names === undefined) return NOT_KNOWN
    return { status: 400, screen: failedPage(error.code, names), settings: names.settings }
  }
}

const NOT_KNOWN: Stop = { status: 404, screen: stopPage('notKnown') }
