import type { FastifyReply, FastifyRequest } from 'fastify'
import { getFailureMessage, getWorkspaceDisplayName } from '../../../platform/i18n/get-messages.ts'
import { isId } from '../../../platform/storage/id.ts'
import {
  type PageLayout,
  type Screen,
  sendScreen,
  statusScreen,
} from '../../../platform/ui/screen.ts'
import type { PageId } from '../../links/submissions/submission.ts'
import { isSameBrowser, readBrowserSecret } from '../../oauth-flow/session/browser-secret.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { findPageLink } from '../page/find-page-link.ts'
import { createMinimalLayout, isSubmissionId } from '../page/page-context.ts'
import { getSubmissionState, isAwaitingChoice } from './get-submission.ts'

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
