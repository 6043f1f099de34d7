import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirect } from '../../http/send-page.ts'
import { type Screen, sendScreen } from '../../ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import {
  getFormActionCsp,
  getLinkLimitReason,
  listIntegrations,
  resolveStep,
} from '../integrations.ts'
import type { PageContext } from '../page/page-context.ts'
import { chooseAuthScreen } from '../screens/choose-auth-screen.ts'
import { linkFullScreen } from '../screens/connected-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { pickerScreen } from '../screens/picker-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { emptyScreen } from '../screens/unavailable-screens.ts'
import { frameSession, getCookieSession } from '../session/page-session.ts'
import { loadPage, type PageRequest } from './load-page.ts'

/** Renders the connect page. Writes nothing, so link previews and scanners are harmless. */
export async function getConnectPage(
  deps: ConnectPageDeps,
  { mode, linkId, searchParams }: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const publicUrl = deps.publicAddress(request)
  // A frame has no cookies, and its host expects messages from the origin that it embedded. A submission belongs to the
  // cookie of the host name on which it started.
  if (mode === 'page' && !searchParams.has('attempt') && publicUrl !== undefined)
    return redirect(reply, publicUrl)
  const openSession = () =>
    mode === 'frame' ? frameSession(request) : getCookieSession(request, reply, deps.baseUrl())
  const loaded = await loadPage(deps, request, { mode, linkId, searchParams, openSession })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  if (isPageView(request)) deps.counters.opened(loaded.page.link.linkId)
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
  const sessionKey = { sessionHash: page.session.hash, linkId: page.link.linkId }
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
