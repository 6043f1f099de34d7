import { timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { hashSecret } from '../../access/auth/access-token.ts'
import type { Workspace } from '../../access/workspaces/workspace.ts'
import {
  type AgentApproval,
  type AgentApprovalId,
  getApprovalStatus,
} from '../../accounts/agents/agent-approval.ts'
import {
  openApprovedRequest,
  settleApproval,
} from '../../accounts/agents/agent-approval-operations.ts'
import {
  buildSignInUrl,
  expireOldSignInCookies,
  getSignInCookie,
  getSignInStatus,
  type SignInRequest,
  type SignInRequestId,
} from '../../accounts/agents/sign-in-request.ts'
import { createEndedError, refuseSignIn } from '../../accounts/agents/sign-in-request-operations.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { ApiError } from '../../platform/errors.ts'
import { acceptForms, getForm, getSearchParams } from '../../platform/http/browser-request.ts'
import { redirect } from '../../platform/http/send-page.ts'
import { isId } from '../../platform/storage/id.ts'
import { createPageActor } from '../connect-page/page/page-context.ts'
import {
  getCookieSession,
  getSessionFromRequest,
  type PageSession,
  sessionField,
} from '../connect-page/page/page-session.ts'
import { createConnectSession } from '../connect-sessions/create-connect-session.ts'
import { sendErrorPage } from '../oauth-flow/finish-page.ts'
import { setPageErrorHandler } from '../oauth-flow/page-routes.ts'
import { answerConsent, showConsent } from './consent.ts'
import {
  type AgentPage,
  type AgentPageDeps,
  isOpenedBy,
  readFormSession,
  send,
  sendEnded,
} from './page.ts'
import { answerScreen, reviewScreen, startScreen, wrongPersonScreen } from './screens.ts'

const MAX_FORM = 4_096

/**
 * The pages on which a customer decides what an agent may send. Their URL gives no rights: the person is identified by the product, in the browser
 * that has pressed the first button, before anything is shown or accepted.
 */
export function agentPageRoutes(deps: AgentPageDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    setPageErrorHandler(app, deps)
    acceptForms(app, MAX_FORM)
    const config = { rawQuery: true, isUnlisted: true }
    const schema = { hide: true, params: Type.Object({ id: Type.String({ maxLength: 64 }) }) }
    app.get('/agent/:id', { config, schema }, (request, reply) =>
      withRequest(deps, request.params.id, { request, reply }, showPage),
    )
    app.post('/agent/:id', { config, schema }, (request, reply) =>
      withRequest(deps, request.params.id, { request, reply }, openPage),
    )
    // A HEAD request would use up the code.
    app.get('/agent/:id/return', { config, schema, exposeHeadRoute: false }, (request, reply) =>
      withRequest(deps, request.params.id, { request, reply }, returnToPage),
    )
    app.post('/agent/:id/answer', { config, schema }, (request, reply) =>
      withRequest(deps, request.params.id, { request, reply }, answer),
    )
  }
}

type ShowPage = (page: AgentPage) => Promise<FastifyReply>

async function withRequest(
  deps: AgentPageDeps,
  id: string,
  { request, reply }: Pick<AgentPage, 'request' | 'reply'>,
  show: ShowPage,
): Promise<FastifyReply> {
  const found = isId('sir', id)
    ? await deps.signInRequests.findForPage(id as SignInRequestId)
    : undefined
  if (found === undefined) return sendErrorPage(request, reply, 404, 'notKnown')
  const { request: signIn, userId } = found
  const access = { userId, boundWorkspaceId: signIn.workspaceId }
  const workspace = await deps.workspaces.find(access, signIn.workspaceId)
  if (workspace === undefined || !(await hasAgents(deps, workspace)))
    return sendErrorPage(request, reply, 404, 'notKnown')
  const canonicalUrl = request.method === 'GET' ? deps.publicAddress(request) : undefined
  if (canonicalUrl !== undefined) return redirect(reply, canonicalUrl)
  const cookie = { name: getSignInCookie(signIn.signInRequestId), seconds: COOKIE_SECONDS }
  return show({ deps, request, reply, signIn, workspace, access, cookie })
}

async function hasAgents(
  { agentSessions, now }: AgentPageDeps,
  { workspaceId, settings }: Workspace,
): Promise<boolean> {
  if (settings.agents?.signInURL !== undefined) return true
  return agentSessions.hasOpen(workspaceId, now())
}

/** Outlives the request, so that the result stays visible. */
const COOKIE_SECONDS = 3_600

/** What this browser may see: nothing of the question before the person is identified. */
async function showPage(page: AgentPage): Promise<FastifyReply> {
  const { deps, request, reply, signIn, cookie } = page
  const status = getSignInStatus(signIn, deps.now())
  if (status === 'created' && signIn.purpose !== 'consent') {
    const baseUrl = deps.baseUrl()
    for (const expired of expireOldSignInCookies(request.headers.cookie, baseUrl))
      reply.header('set-cookie', expired)
    return sendStart(page, getCookieSession(request, reply, baseUrl, cookie))
  }
  const session = getSessionFromRequest(request, deps.baseUrl(), cookie)
  if (session === undefined || !isOpenedBy(signIn, session)) return sendEnded(page)
  if (status === 'created' || status === 'opened') return sendStart(page, session)
  if (signIn.purpose === 'consent')
    return status === 'verified' ? showConsent(page, session) : sendEnded(page)
  if (status !== 'verified' && status !== 'completed') return sendEnded(page)
  const approval = await findApproval(page)
  if (approval === undefined) return sendEnded(page)
  const isOpen = getApprovalStatus(approval, deps.now()) === 'pending'
  if (status === 'verified' && isOpen) return sendReview(page, session, approval)
  const isAnswered = approval.decidedBy === 'customer'
  return isAnswered
    ? send(page, ({ messages }) => answerScreen(messages, approval.status !== 'denied'))
    : sendEnded(page)
}

/** Binds the request to this browser and sends the person to the product. The same browser may repeat this. */
async function openPage(page: AgentPage): Promise<FastifyReply> {
  const { deps, signIn, reply, workspace } = page
  const session = readFormSession(page)
  if (session === undefined) return sendErrorPage(page.request, reply, 403, 'notOurs')
  const url = workspace.settings.agents?.signInURL
  if (url === undefined || isOfOtherBrowser(signIn, session)) return sendEnded(page)
  const step = {
    signInRequestId: signIn.signInRequestId,
    from: ['created'] as const,
    now: deps.now(),
  }
  const change = { status: 'opened' as const, browserHash: session.hash }
  const isBound = await deps.database.transaction((trx) =>
    deps.signInRequests.update(trx, step, change),
  )
  const isOpen = isBound || (await isOpenInBrowser(page, session))
  if (!isOpen) return sendEnded(page)
  const target = new URL(url)
  target.searchParams.set('linchpin_request', signIn.signInRequestId)
  return redirect(reply, target.href)
}

/** What a client has begun is bound to its browser from the start. */
function isOfOtherBrowser(signIn: SignInRequest, session: PageSession): boolean {
  return signIn.purpose === 'consent' && !isOpenedBy(signIn, session)
}

/** Whether this browser has pressed the button before, and has not returned yet. */
async function isOpenInBrowser(
  { deps, signIn }: AgentPage,
  session: PageSession,
): Promise<boolean> {
  const found = await deps.signInRequests.findForPage(signIn.signInRequestId)
  return (
    found !== undefined &&
    getSignInStatus(found.request, deps.now()) === 'opened' &&
    isOpenedBy(found.request, session)
  )
}

/**
 * The person returns from the product. The code and the browser belong together, and the product has named the customer whom the
 * agent works for; otherwise the request is spent, so that no other try with this code or in this browser succeeds.
 */
async function returnToPage(page: AgentPage): Promise<FastifyReply> {
  const { deps, request, reply, signIn, cookie } = page
  const pageUrl = buildSignInUrl(deps.baseUrl(), signIn.signInRequestId)
  const session = getSessionFromRequest(request, deps.baseUrl(), cookie)
  const isBrowser = session !== undefined && isOpenedBy(signIn, session)
  const now = deps.now()
  const codeHash = hashSecret(getSearchParams(request).get('code') ?? '')
  // The page was reloaded, or its code has ended: nothing happens.
  if (!hasCode(signIn, codeHash, now)) return isBrowser ? redirect(reply, pageUrl) : sendEnded(page)
  if (isBrowser && signIn.isCustomer) {
    const { signInRequestId } = signIn
    const step = { signInRequestId, from: ['opened'] as const, codeHash, now }
    const change = { status: 'verified' as const, codeHash: null, codeExpiresAt: null }
    const isVerified = await deps.database.transaction((trx) =>
      deps.signInRequests.update(trx, step, change),
    )
    return isVerified && signIn.purpose === 'connect' ? connect(page) : redirect(reply, pageUrl)
  }
  await deps.database.transaction((trx) =>
    refuseSignIn(deps, trx, createPageActor(page.access, page.request), signIn),
  )
  return send(page, (layout) => wrongPersonScreen(layout, page.workspace))
}

/** Sends the customer to a connect session of their own, whose page this browser opens next. */
async function connect(page: AgentPage): Promise<FastifyReply> {
  const { deps, reply, signIn } = page
  const { subject, signInRequestId, expectedIdentifier: accountIdentifier } = signIn
  const target = isId('acc', subject)
    ? { integrationAccountId: subject }
    : { integrationDefinitionIds: [subject as DefinitionId] }
  const caller = await createConnectCaller(page)
  if (caller === undefined) return sendEnded(page)
  const step = { signInRequestId, from: ['verified'] as const, now: deps.now() }
  try {
    const { url } = await createConnectSession(
      deps,
      caller,
      { workspaceId: signIn.workspaceId, accountIdentifier, ...target },
      async ({ connectSessionId }) =>
        async (trx) => {
          const change = { status: 'completed' as const, connectSessionId }
          if (!(await deps.signInRequests.update(trx, step, change))) throw createEndedError()
        },
    )
    return redirect(reply, url)
  } catch (error) {
    // The tool or the account is gone, or the product has refused the request meanwhile.
    if (!(error instanceof ApiError)) throw error
    return sendEnded(page)
  }
}

/** Who creates the connect session: the agent that has asked, and no longer than its session lasts. */
async function createConnectCaller({ deps, access, request, signIn }: AgentPage) {
  const { read } = deps.database
  const session = await deps.agentSessions.find(read, access, signIn.agentSessionId)
  if (session === undefined || session.revokedAt !== null) return undefined
  return {
    ...access,
    tokenId: session.tokenId,
    kind: 'agent' as const,
    scopes: new Set(['links:write', 'accounts:reconnect']),
    expiresAt: session.expiresAt,
    requestId: request.id,
    ip: request.auditIp,
  }
}

function hasCode(
  { status, codeHash, codeExpiresAt }: SignInRequest,
  presented: Uint8Array,
  now: number,
): boolean {
  return (
    status === 'opened' &&
    codeHash !== null &&
    codeExpiresAt !== null &&
    codeExpiresAt > now &&
    timingSafeEqual(codeHash, presented)
  )
}

/** Decides on behalf of the customer, once. The page then shows what was decided: a reload sends nothing again. */
async function answer(page: AgentPage): Promise<FastifyReply> {
  const { deps, request, reply, signIn } = page
  const session = readFormSession(page)
  if (session === undefined) return sendErrorPage(request, reply, 403, 'notOurs')
  if (signIn.purpose === 'consent') return answerConsent(page, session)
  const decision = DECISIONS.find((each) => each === getForm(request).get('decision'))
  const isVerified = getSignInStatus(signIn, deps.now()) === 'verified'
  const approval = await findApproval(page)
  if (!isVerified || !isOpenedBy(signIn, session) || !decision || !approval) return sendEnded(page)
  const { signInRequestId, expectedIdentifier: accountIdentifier } = signIn
  const step = { signInRequestId, from: ['verified'] as const, now: deps.now() }
  const decided = { approval, decision, decidedBy: 'customer', accountIdentifier }
  try {
    await deps.database.transaction(async (trx) => {
      if (await deps.signInRequests.update(trx, step, { status: 'completed' }))
        await settleApproval(deps, trx, createPageActor(page.access, page.request), decided)
    })
  } catch (error) {
    // The product has decided meanwhile.
    if (!(error instanceof ApiError && error.code === 'agent_approval_decided')) throw error
    return sendEnded(page)
  }
  return redirect(reply, buildSignInUrl(deps.baseUrl(), signInRequestId))
}

const DECISIONS = ['approve', 'deny'] as const

function findApproval({ deps, access, signIn }: AgentPage): Promise<AgentApproval | undefined> {
  const id = signIn.subject as AgentApprovalId
  return deps.agentApprovals.find(deps.database.read, access, id)
}

async function sendReview(
  page: AgentPage,
  session: PageSession,
  approval: AgentApproval,
): Promise<FastifyReply> {
  const { deps, access } = page
  const account = await deps.accounts.find(access, approval.accountId)
  const definition = account && (await deps.definitions.find(access, account.definitionId))
  if (account === undefined || account.deletedAt !== null || definition === undefined)
    return sendEnded(page)
  const request = await openApprovedRequest(deps, approval)
  const action = `${buildSignInUrl('', page.signIn.signInRequestId)}/answer`
  return send(page, (layout) =>
    reviewScreen(layout, page.workspace, {
      method: approval.method,
      request,
      accountName: account.name,
      definition,
      visit: sessionField(session),
      action,
    }),
  )
}

function sendStart(page: AgentPage, session: PageSession): FastifyReply {
  const url = page.workspace.settings.agents?.signInURL
  if (url === undefined) return sendEnded(page)
  return send(page, (layout) =>
    startScreen(layout, page.workspace, {
      action: buildSignInUrl('', page.signIn.signInRequestId),
      visit: sessionField(session),
      signInUrl: new URL(url),
    }),
  )
}
