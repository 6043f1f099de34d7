import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../platform/http/browser-request.ts'
import { getFailureMessage, getWorkspaceDisplayName } from '../../platform/i18n/language.ts'
import { isId } from '../../platform/storage/id.ts'
import { type PageLayout, type Screen, sendScreen, statusScreen } from '../../platform/ui/screen.ts'
import type { PageId, SessionAccount, SessionKey, Submission } from '../attempts/submission.ts'
import { CHOICE_MS } from '../oauth-flow/callback/finish-sign-in.ts'
import { isSameBrowser, readBrowserSecret } from '../oauth-flow/session/oauth-session.ts'
import { SESSION_TTL_MS } from '../oauth-flow/start/validate-start.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { createMinimalLayout, findPageLink, isSubmissionId } from './page/page-context.ts'
import { getConnectCookie, getSessionFromRequest, isBoundTo } from './page/page-session.ts'

/** Returns the state of a submission to the page's script, for the session that it belongs to. */
export async function getSubmission(
  deps: ConnectPageDeps,
  { pageId, attemptId }: { readonly pageId: string; readonly attemptId: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply
    .header('cache-control', 'no-store')
    .header('cross-origin-resource-policy', 'same-origin')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
  const sessionKey = isSubmissionId(attemptId)
    ? await findSessionKey(deps, pageId, request)
    : undefined
  if (sessionKey === undefined) return reply.code(404).send({ state: 'unknown' })
  const row = await deps.submissions.find(sessionKey, attemptId)
  if (row === undefined) return reply.code(404).send({ state: 'unknown' })
  const current = getSubmissionState(row, deps.now())
  if (current.state === 'running') return reply.send({ state: 'running' })
  if (current.state === 'failed') return reply.send({ state: 'failed', code: current.code })
  const account = await deps.submissions.account(sessionKey, attemptId)
  return reply.send({
    state: 'connected',
    ...(account === undefined ? {} : { account: toMessageAccount(pageId, account) }),
  })
}

/** The key of the page session that a request belongs to; undefined without one. */
async function findSessionKey(
  deps: Pick<ConnectPageDeps, 'baseUrl' | 'visitedSessions'>,
  pageId: string,
  request: FastifyRequest,
): Promise<SessionKey | undefined> {
  const baseUrl = deps.baseUrl()
  if (isId('lnk', pageId)) {
    const session = getSessionFromRequest(request, baseUrl)
    return session && { sessionHash: session.hash, pageId }
  }
  if (!isId('cns', pageId)) return undefined
  const session = getSessionFromRequest(request, baseUrl, getConnectCookie(pageId, 0))
  if (session === undefined) return undefined
  const connectSession = await deps.visitedSessions.find(pageId)
  return connectSession !== undefined && isBoundTo(connectSession, session)
    ? { sessionHash: session.hash, pageId }
    : undefined
}

/** The account as the script and the host page receive it: IDs and names only. */
export function toMessageAccount(pageId: string, account: SessionAccount) {
  return {
    integrationAccountId: account.accountId,
    integrationAccountName: account.accountName,
    integrationDefinitionId: account.definitionId,
    integrationName: account.definitionName,
    integrationKey: account.definitionKey,
    accountIdentifier: account.accountIdentifier,
    ...(isId('cns', pageId)
      ? { linkId: null, connectSessionId: pageId }
      : { linkId: pageId, connectSessionId: null }),
  }
}

/** The current state of a submission. */
export type SubmissionState =
  | { readonly state: 'running' }
  | { readonly state: 'connected' }
  | { readonly state: 'failed'; readonly code: string; readonly hint: string | undefined }

/** Whether a sign-in waits until its person has chosen what to do with a user who is connected already. */
export function isAwaitingChoice({ state, code }: Pick<Submission, 'state' | 'code'>): boolean {
  return state === 'running' && code === 'already_connected'
}

/** A callback that was claimed in the last second may still be running. */
const SIGN_IN_TIMEOUT_MS = SESSION_TTL_MS + 2 * 60_000
/** Longer than any check may take: the node that ran it has stopped. */
const CHECK_TIMEOUT_MS = 2 * 60_000

/**
 * The state of a submission. A submission that has timed out counts as failed, even if no node could record the
 * failure. One that awaits a choice has failed so far: the page then shows the choice.
 */
export function getSubmissionState(row: Submission, now: number): SubmissionState {
  if (row.state === 'connected') return { state: 'connected' }
  if (row.state === 'failed')
    return { state: 'failed', code: row.code ?? 'unknown', hint: row.hint ?? undefined }
  if (isAwaitingChoice(row) && now - row.createdAt < SIGN_IN_TIMEOUT_MS + CHOICE_MS)
    return { state: 'failed', code: 'already_connected', hint: undefined }
  const [limit, code] =
    row.kind === 'sign_in'
      ? [SIGN_IN_TIMEOUT_MS, 'sign_in_overdue']
      : [CHECK_TIMEOUT_MS, 'integration_timeout']
  return now - row.createdAt < limit
    ? { state: 'running' }
    : { state: 'failed', code, hint: undefined }
}

/**
 * Cancels a running credentials check: an account that is not stored yet never will be. Responds with the resulting state,
 * `connected` when the account was already stored. Requires a same-origin request of the submission's session.
 */
export async function cancelSubmission(
  deps: ConnectPageDeps,
  { pageId, attemptId }: { readonly pageId: string; readonly attemptId: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sessionKey = await findSessionKey(deps, pageId, request)
  const isTrusted = isSameOrigin(request, deps.baseUrl()) && isSubmissionId(attemptId)
  if (sessionKey !== undefined && isTrusted) {
    const row = await deps.submissions.find(sessionKey, attemptId)
    if (row?.kind === 'credentials' && row.state === 'running')
      await deps.database.transaction((trx) =>
        deps.submissions.end(trx, { submissionId: attemptId }, { code: 'cancelled' }, deps.now()),
      )
  }
  return getSubmission(deps, { pageId, attemptId }, request, reply)
}

/** The last page of a sign-in window, which can be closed. Only the browser that signed in sees the result. */
export async function sendSignInResultPage(
  deps: ConnectPageDeps,
  pageId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  searchParams: URLSearchParams,
): Promise<FastifyReply> {
  const layout = createMinimalLayout(request, 'closed', searchParams)
  const submissionId = searchParams.get('attempt') ?? ''
  const screen =
    isSubmissionId(submissionId) && (isId('lnk', pageId) || isId('cns', pageId))
      ? await outcomeScreen(deps, layout, { pageId, submissionId }, request)
      : undefined
  return sendScreen(
    reply,
    layout,
    screen ?? statusScreen('closed', layout.messages.states.closed({})),
  )
}

async function outcomeScreen(
  deps: ConnectPageDeps,
  { messages }: PageLayout,
  { pageId, submissionId }: { readonly pageId: PageId; readonly submissionId: string },
  request: FastifyRequest,
): Promise<Screen | undefined> {
  const policy = await findPageLink(deps, pageId)
  const row = policy && (await deps.submissions.findAt(pageId, submissionId))
  if (policy === undefined || row?.oauthSessionId == null) return undefined
  const oauthSession = await deps.oauthSessions.find(row.oauthSessionId)
  const secret = readBrowserSecret(request, deps.baseUrl())
  const hasEnded = oauthSession?.finishedAt != null || isAwaitingChoice(row)
  if (oauthSession === undefined || !hasEnded || !isSameBrowser(secret, oauthSession.browserHash))
    return undefined
  const access = { userId: oauthSession.userId, boundWorkspaceId: oauthSession.workspaceId }
  const definition = await deps.definitions.find(access, row.definitionId)
  if (definition === undefined) return undefined
  const workspace = getWorkspaceDisplayName(policy.workspace, messages)
  const params = { tool: definition.name, workspace }
  const current = getSubmissionState(row, deps.now())
  // The page that opened the window asks.
  if (isAwaitingChoice(row))
    return statusScreen('closed', messages.states.closed({}), {
      data: { 'data-attempt': submissionId },
    })
  const data = { 'data-attempt': submissionId, 'data-outcome': current.state }
  if (current.state === 'failed') {
    const { title } = messages.states.failed(params)
    const body = getFailureMessage(messages, current.code, params)
    return statusScreen('closed', { title, body }, { mark: 'bad', data })
  }
  const { title } = messages.states.connected(params)
  const { body } = messages.states.closed({})
  return statusScreen('closed', { title, body }, { mark: 'good', data })
}
