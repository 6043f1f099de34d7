import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildAuthorizationUrl } from '../../oauth/authorize/authorization-url.ts'
import { codeChallenge, hashSecret, newCodeVerifier, newState } from '../../oauth/authorize/random.ts'
import { fillTemplate } from '../../oauth/template/url-template.ts'
import { appScopes } from '../../oauth-app/oauth-app-answer.ts'
import { isSameOrigin } from '../../page/same-origin.ts'
import { sendOn, sendPage } from '../../page/send-page.ts'
import { type AttemptContext, loadAttempt } from '../attempt/attempt-context.ts'
import { sealAttempt } from '../attempt/attempt-secrets.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { templateValues } from '../start/judge-start-config.ts'
import { keepBrowserSecret } from './browser-secret.ts'
import { consentPage, stopPage } from './pages.ts'

/** Where providers send people back to. Every OAuth app registers it. */
export function callbackUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/oauth/callback`
}

/** Shows who asks for what. Changes nothing, so that previews and scanners of links do no harm. */
export async function showOAuthPage(
  deps: ConnectDeps,
  pageToken: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const context = await findByPage(deps, pageToken)
  if (context === undefined) return sendPage(reply, 404, stopPage('notKnown'))
  const { workspace, definition, type, secrets, app } = context
  const values = templateValues(secrets.config, app)
  const signIn = new URL(fillTemplate(type.authorizationUrl, values, type.templateFields))
  const names = { workspace: workspaceName(workspace), tool: definition.name, host: signIn.host }
  const custom = definition.release_stage === 'CUSTOM'
  const page = consentPage(names, { custom, again: context.account !== undefined })
  return sendPage(reply, 200, page)
}

/** Uses the page up, binds the attempt to this browser, and sends the person to sign in. */
export async function beginOAuth(
  deps: ConnectDeps,
  pageToken: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const baseUrl = deps.baseUrl()
  if (!isSameOrigin(request, baseUrl)) return sendPage(reply, 403, stopPage('notOurs'))
  const context = await findByPage(deps, pageToken)
  if (context === undefined) return sendPage(reply, 404, stopPage('notKnown'))
  const state = newState()
  const codeVerifier = newCodeVerifier()
  const secret = keepBrowserSecret(request, reply, baseUrl)
  const beginning = {
    stateHash: hashSecret(state),
    browserHash: hashSecret(secret),
    sealed: await sealAttempt(deps.vault, context.attempt, { ...context.secrets, codeVerifier }),
  }
  const url = buildAuthorizationUrl({
    type: context.type,
    clientId: context.app.client_id,
    redirectUri: callbackUrl(baseUrl),
    scopes: appScopes(context.app),
    state,
    codeChallenge: await codeChallenge(codeVerifier),
    values: templateValues(context.secrets.config, context.app),
  })
  const pageHash = hashSecret(pageToken)
  const isFirst = await deps.database.transaction((trx) =>
    deps.attempts.begin(trx, pageHash, beginning, deps.now()),
  )
  return isFirst ? sendOn(reply, url) : sendPage(reply, 404, stopPage('notKnown'))
}

/** What people know a workspace by. */
export function workspaceName({ name, slug }: { readonly name: string; readonly slug: string }) {
  return name.trim() === '' ? slug : name
}

async function findByPage(
  deps: ConnectDeps,
  pageToken: string,
): Promise<AttemptContext | undefined> {
  const attempt = await deps.attempts.findByPage(hashSecret(pageToken), deps.now())
  return attempt === undefined ? undefined : loadAttempt(deps, attempt)
}
