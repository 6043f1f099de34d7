import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirect } from '../../../platform/http/send-page.ts'
import { isId } from '../../../platform/storage/id.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import { type Screen, sendScreen } from '../../../platform/ui/screen.ts'
import { getAppSetup } from '../app-setup/app-setup.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import {
  getFormActionCsp,
  getLinkLimitReason,
  listIntegrations,
  resolveStep,
} from '../integrations.ts'
import { getPagePath, isPortal, type PageContext } from '../page/page-context.ts'
import {
  frameSession,
  getConnectCookie,
  getCookieSession,
  getSessionFromRequest,
} from '../page/page-session.ts'
import { getPortal } from '../portal.ts'
import { chooseAuthScreen } from '../screens/choose-auth-screen.ts'
import { finishedScreen, linkFullScreen } from '../screens/connected-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { emptyScreen, pickerScreen } from '../screens/picker-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { loadPage, type PageRequest, sendRefusal } from './load-page.ts'

/** Renders the connect page. Writes nothing but a counter of page views, so link previews and scanners are harmless. */
export async function getConnectPage(
  deps: ConnectPageDeps,
  { mode, pageId, searchParams }: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const publicUrl = deps.publicAddress(request)
  // A frame has no cookies, and its host expects messages from the origin that it embedded. A submission belongs to the
  // cookie of the host name on which it started.
  const isStart = !searchParams.has('attempt') && !isId('cns', pageId)
  if (mode === 'page' && isStart && publicUrl !== undefined) return redirect(reply, publicUrl)
  const linkId = await deps.sharedLinks.findByAlias(pageId)
  if (linkId !== undefined) {
    const query = searchParams.size === 0 ? '' : `?${searchParams}`
    return redirect(reply, `${deps.baseUrl()}${getPagePath(linkId, mode)}${query}`)
  }
  const openSession = () => {
    if (mode === 'frame') return frameSession(request)
    return isId('cns', pageId)
      ? getSessionFromRequest(request, deps.baseUrl(), getConnectCookie(pageId, 0))
      : getCookieSession(request, reply, deps.baseUrl())
  }
  return sendConnectPage(deps, { mode, pageId, searchParams, openSession }, request, reply)
}

/** Loads a page in its session and sends its screen. */
export async function sendConnectPage(
  deps: ConnectPageDeps,
  pageRequest: PageRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadPage(deps, request, pageRequest)
  if (loaded.page === undefined) return sendRefusal(reply, loaded)
  const { link, workspace } = loaded.page
  if (isPageView(request)) deps.counters.opened(link.linkId, workspace.workspaceId)
  return sendScreen(reply, loaded.page, await chooseScreen(deps, loaded.page))
}

/** The page's script fetches further states; they don't count as opening the page. */
function isPageView({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== 'empty'
}

/** Chooses the screen that the URL selects: a submission, a form, the auth methods of an integration, or the list. */
async function chooseScreen(deps: ConnectPageDeps, page: PageContext): Promise<Screen> {
  const submission = await submissionScreen(deps, page)
  if (submission !== undefined) return submission
  const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
  if (page.connectSession?.completedAt != null) {
    const connected = await deps.submissions.accounts(sessionKey)
    return connected.length === 0
      ? errorScreen(page, 'sessionRefused')
      : finishedScreen(page, connected)
  }
  if (isPortal(page)) return getPortal(deps, page)
  const setup = await getAppSetup(deps, page)
  if (setup !== undefined) return setup
  const [offered, accounts, limitReason] = await Promise.all([
    listIntegrations(deps, page),
    deps.submissions.accounts(sessionKey),
    getLinkLimitReason(deps, page),
  ])
  if (limitReason !== undefined) return linkFullScreen(page, limitReason, accounts)
  if (offered.emptyReason !== undefined)
    return emptyScreen(page, offered.emptyReason, offered.notConfigured)
  const notConfigured = offered.unavailable.find(
    ({ definition }) => definition.key === page.query.integration,
  )
  if (notConfigured !== undefined)
    return emptyScreen(page, 'appMissing', notConfigured, { hasOthers: true })
  const step = resolveStep(page, offered.integrations)
  if (step.type === 'form') return formScreen(page, step)
  const formActionCsp = getFormActionCsp(offered.integrations)
  if (step.type === 'auth-methods')
    return { ...chooseAuthScreen(page, step.integration, step.back), formActionCsp }
  return { ...pickerScreen(page, offered, accounts), formActionCsp }
}
