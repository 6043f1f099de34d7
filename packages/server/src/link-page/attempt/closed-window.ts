import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameBrowser, readBrowserSecret } from '../../connect/pages/browser-secret.ts'
import { failureSentence } from '../../page/words/failure-sentence.ts'
import { isId } from '../../storage/id.ts'
import { isAttemptId } from '../address/page-query.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { askerName } from '../open/asker-name.ts'
import { bareShell } from '../open/load-page.ts'
import type { Shell } from '../view/page.ts'
import type { Screen } from '../view/screen.ts'
import { sendScreen } from '../view/send-screen.ts'
import { toldScreen } from '../view/told.ts'
import { attemptState } from './attempt-state.ts'

/** Where a window ends that went through sign-in: it may be closed. What came of it is told to its own browser only. */
export async function closedWindow(
  deps: LinkPageDeps,
  linkId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  given: URLSearchParams,
): Promise<FastifyReply> {
  const shell = bareShell(request, 'closed', given)
  const attempt = given.get('attempt') ?? ''
  const known = isId('lnk', linkId) && isAttemptId(attempt)
  const screen = known ? await outcomeScreen(deps, shell, linkId, attempt, request) : undefined
  return sendScreen(reply, shell, screen ?? toldScreen('closed', shell.words.states.closed({})))
}

async function outcomeScreen(
  deps: LinkPageDeps,
  { words }: Shell,
  linkId: string,
  attemptId: string,
  request: FastifyRequest,
): Promise<Screen | undefined> {
  const row = await deps.visitAttempts.findAt(linkId, attemptId)
  if (row?.oauth_attempt_id == null) return undefined
  const oauth = await deps.attempts.findFinished(row.oauth_attempt_id)
  const secret = readBrowserSecret(request, deps.baseUrl())
  if (oauth === undefined || !isSameBrowser(secret, oauth.browser_hash)) return undefined
  const reach = { userId: oauth.user_id, boundTo: oauth.workspace_id }
  const [definition, shared] = await Promise.all([
    deps.definitions.find(reach, row.definition_id),
    deps.sharedLinks.find(linkId),
  ])
  if (definition === undefined || shared === undefined) return undefined
  const facts = { tool: definition.name, workspace: askerName(shared) }
  const now = attemptState(row, deps.now())
  const data = { 'data-attempt': attemptId, 'data-outcome': now.state }
  if (now.state === 'failed') {
    const { title } = words.states.failed(facts)
    const body = failureSentence(words, now.code, facts)
    return toldScreen('closed', { title, body }, { mark: 'bad', data })
  }
  const { title } = words.states.connected(facts)
  const { body } = words.states.closed({})
  return toldScreen('closed', { title, body }, { mark: 'good', data })
}
