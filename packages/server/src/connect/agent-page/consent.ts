import type { FastifyReply } from 'fastify'
import { createOAuthSession } from '../../accounts/agents/create-oauth-session.ts'
import { buildSignInUrl, getSignInStatus } from '../../accounts/agents/sign-in-request.ts'
import type { Consent } from '../../accounts/mcp/authorization/authorization-server.ts'
import { getForm } from '../../platform/http/browser-request.ts'
import { redirect } from '../../platform/http/send-page.ts'
import { createPageActor } from '../connect-page/page/page-context.ts'
import { type PageSession, sessionField } from '../connect-page/page/page-session.ts'
import { consentScreen, SHOWN } from './consent-screen.ts'
import { type AgentPage, isOpenedBy, send, sendEnded } from './page.ts'

/** Asks the customer, whom the product has identified, whether a client may use their accounts. */
export async function showConsent(page: AgentPage, session: PageSession): Promise<FastifyReply> {
  const { deps, request, reply, signIn, access } = page
  const authorization = await deps.authorizationServer.findAuthorization({ request, reply }, signIn)
  if (authorization === undefined) return sendEnded(page)
  const accounts = await deps.signInRequests.listAccounts(access, signIn, SHOWN + 1)
  return send(page, (layout) =>
    consentScreen(layout, page.workspace, {
      ...authorization,
      accounts,
      visit: sessionField(session),
      action: `${buildSignInUrl('', signIn.signInRequestId)}/answer`,
    }),
  )
}

/** Stores the answer, once, and sends the browser back to the client. */
export async function answerConsent(page: AgentPage, session: PageSession): Promise<FastifyReply> {
  const { deps, request, reply, signIn, workspace } = page
  const { signInRequestId, agentSessionId, expectedIdentifier: accountIdentifier } = signIn
  const decision = getForm(request).get('decision') ?? ''
  const isVerified = getSignInStatus(signIn, deps.now()) === 'verified'
  if (!isVerified || !isOpenedBy(signIn, session) || !DECISIONS.includes(decision))
    return sendEnded(page)
  const authorization = await deps.authorizationServer.findAuthorization({ request, reply }, signIn)
  if (authorization === undefined) return sendEnded(page)
  const canWrite = decision === 'write' && authorization.wantsWrite
  const isGranted = decision !== 'deny'
  const { clientId, clientName } = authorization
  const consented = { agentSessionId, workspace, accountIdentifier, clientId, clientName, canWrite }
  const step = { signInRequestId, from: ['verified'] as const, now: deps.now() }
  const isFirst = await deps.database.transaction(async (trx) => {
    if (!(await deps.signInRequests.update(trx, step, { status: 'completed' }))) return false
    if (isGranted)
      await createOAuthSession(deps, trx, createPageActor(page.access, page.request), consented)
    return true
  })
  if (!isFirst) return sendEnded(page)
  const consent: Consent = isGranted ? { isGranted, agentSessionId, canWrite } : { isGranted }
  const url = await deps.authorizationServer.answer({ request, reply }, signIn, consent)
  return url === undefined ? sendEnded(page) : redirect(reply, url)
}

const DECISIONS: readonly string[] = ['read', 'write', 'deny']
