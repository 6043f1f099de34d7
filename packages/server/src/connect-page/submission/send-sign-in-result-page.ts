import type { FastifyReply, FastifyRequest } from 'fastify'
import { getFailureMessage, getWorkspaceDisplayName } from '../../i18n/get-messages.ts'
import type { LinkId } from '../../links/link.ts'
import { isSameBrowser, readBrowserSecret } from '../../oauth-flow/session/browser-secret.ts'
import { isId } from '../../storage/id.ts'
import { type PageLayout, type Screen, sendScreen, statusScreen } from '../../ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { createMinimalLayout, isSubmissionId } from '../page/page-context.ts'
import { getSubmissionState } from './get-submission.ts'

/** The last page of a sign-in window, which can be closed. Only the browser that signed in sees the result. */
export async function sendSignInResultPage(
  deps: ConnectPageDeps,
  linkId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  searchParams: URLSearchParams,
): Promise<FastifyReply> {
  const layout = createMinimalLayout(request, 'closed', searchParams)
  const submissionId = searchParams.get('attempt') ?? ''
  const isWellFormed = isId('lnk', linkId) && isSubmissionId(submissionId)
  const screen = isWellFormed
    ? await outcomeScreen(deps, layout, linkId, submissionId, request)
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
  linkId: LinkId,
  attemptId: string,
  request: FastifyRequest,
): Promise<Screen | undefined> {
  const row = await deps.submissions.findAt(linkId, attemptId)
  if (row?.oauthSessionId == null) return undefined
  const oauthSession = await deps.oauthSessions.find(row.oauthSessionId)
  const secret = readBrowserSecret(request, deps.baseUrl())
  if (oauthSession?.finishedAt == null || !isSameBrowser(secret, oauthSession.browserHash))
    return undefined
  const access = { userId: oauthSession.userId, boundWorkspaceId: oauthSession.workspaceId }
  const [definition, sharedLink] = await Promise.all([
    deps.definitions.find(access, row.definitionId),
    deps.sharedLinks.find(linkId),
  ])
  if (definition === undefined || sharedLink === undefined) return undefined
  const workspace = getWorkspaceDisplayName(sharedLink.workspace, messages)
  const params = { tool: definition.name, workspace }
  const current = getSubmissionState(row, deps.now())
  const data = { 'data-attempt': attemptId, 'data-outcome': current.state }
  if (current.state === 'failed') {
    const { title } = messages.states.failed(params)
    const body = getFailureMessage(messages, current.code, params)
    return statusScreen('closed', { title, body }, { mark: 'bad', data })
  }
  const { title } = messages.states.connected(params)
  const { body } = messages.states.closed({})
  return statusScreen('closed', { title, body }, { mark: 'good', data })
}
