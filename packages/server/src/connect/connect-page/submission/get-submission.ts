import type { FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '../../../platform/storage/id.ts'
import type { SessionAccount, SessionKey, Submission } from '../../links/submissions/submission.ts'
import { CHOICE_MS } from '../../oauth-flow/callback/offer-choice.ts'
import { SESSION_TTL_MS } from '../../oauth-flow/start/create-oauth-session-record.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { isSubmissionId } from '../page/page-context.ts'
import { getConnectCookie, isBoundTo } from '../session/connect-cookie.ts'
import { getSessionFromRequest } from '../session/page-session.ts'

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
export async function findSessionKey(
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
