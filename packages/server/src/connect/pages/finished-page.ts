import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendOn } from '../../page/send-page.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { attemptNames } from './attempt-names.ts'
import { isSameBrowser, readBrowserSecret } from './browser-secret.ts'
import { homeUrl } from './home-url.ts'
import { howItEnded, toldCode } from './how-it-ended.ts'
import { donePage, failedPage, finishedPage, runningPage } from './pages.ts'
import { sendScreen, sendStop } from './send-screen.ts'

/** Where the browser of an attempt is told how it ended, or sent home with it. */
export function finishedUrl(baseUrl: string, { attempt_id }: OAuthAttemptRow): string {
  return `${baseUrl}/oauth/finished/${attempt_id}`
}

/** Tells the browser that went through an attempt how it ended; to every other one there is no such page. */
export async function showFinished(
  deps: ConnectDeps,
  attemptId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const attempt = await deps.attempts.find(attemptId)
  const secret = readBrowserSecret(request, deps.baseUrl())
  if (attempt === undefined || secret === undefined || !isSameBrowser(secret, attempt.browser_hash))
    return sendStop(request, reply, 404, 'finished')
  return sendFinished(deps, attempt, secret, { request, reply, isAgain: false })
}

interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Came back to the callback once more: that alone leads nowhere, a press of the person's own does. */
  readonly isAgain: boolean
}

/** The same for an attempt of this very browser. */
export async function sendFinished(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  browserSecret: string,
  { request, reply, isAgain }: Asked,
): Promise<FastifyReply> {
  const ended = await howItEnded(deps, attempt, browserSecret)
  const names = await attemptNames(deps, attempt)
  if (ended === undefined || names === undefined)
    return sendStop(request, reply, isAgain ? 400 : 404, 'notKnown')
  const { settings } = names
  const here = finishedUrl(deps.baseUrl(), attempt)
  if (ended === 'running') {
    reply.header('refresh', `${ASK_AGAIN_S}; url=${here}`)
    return sendScreen(
      { request, reply, status: isAgain ? 400 : 200, settings },
      runningPage(names, here),
    )
  }
  const home = await homeUrl(deps, attempt, ended)
  if (isAgain)
    return sendScreen(
      { request, reply, status: 400, settings },
      finishedPage(names, home === undefined ? undefined : here),
    )
  if (home !== undefined) return sendOn(reply, home)
  return sendScreen(
    { request, reply, status: 200, settings },
    'code' in ended ? failedPage(toldCode(attempt, ended.code), names) : donePage(names),
  )
}

const ASK_AGAIN_S = 2
