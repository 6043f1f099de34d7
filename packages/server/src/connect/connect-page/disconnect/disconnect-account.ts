import type { FastifyReply, FastifyRequest } from 'fastify'
import { deleteAccount } from '../../../accounts/accounts/delete-account.ts'
import { getForm } from '../../../platform/http/form-body.ts'
import { isId } from '../../../platform/storage/id.ts'
import { sendScreen } from '../../../platform/ui/screen.ts'
import { findSessionAccount } from '../../connect-sessions/find-session-account.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { loadErrorLayout, loadPage } from '../load/load-page.ts'
import { refuse } from '../load/load-session-page.ts'
import type { PageRequest } from '../load/page-request.ts'
import { buildFormQuery } from '../page/page-context.ts'
import { disconnectedScreen, goneScreen } from '../portal/disconnect-screens.ts'
import { getPortalPolicy } from '../portal/get-portal.ts'
import { getConnectCookie } from '../session/connect-cookie.ts'
import { getFormSession } from '../session/page-session.ts'

/**
 * Handles the form of the portal: deletes an account of the customer, and says what was revoked. The form must come from the page
 * itself, in the browser that the session is bound to. A second click finds the account gone.
 */
export async function disconnectAccount(
  deps: ConnectPageDeps,
  { mode, pageId, searchParams: urlParams }: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = getForm(request)
  const searchParams = buildFormQuery(urlParams, form)
  const session = isId('cns', pageId)
    ? getFormSession(request, form, deps.baseUrl(), {
        allowedKinds: [mode],
        cookie: getConnectCookie(pageId, 0),
      })
    : undefined
  if (session === undefined || session === 'expired') {
    const { layout, screen } = refuse(
      await loadErrorLayout(deps, request, { mode, pageId, searchParams }),
    )
    return sendScreen(reply, layout, screen)
  }
  const openSession = () => session
  const loaded = await loadPage(deps, request, { mode, pageId, searchParams, openSession })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { page } = loaded
  const portal = getPortalPolicy(page)
  if (portal === undefined) {
    const { layout, screen } = refuse(page)
    return sendScreen(reply, layout, screen)
  }
  const accountId = form.get('account') ?? ''
  const account = await findSessionAccount(deps, page.access, portal, accountId)
  if (account === undefined) return sendScreen(reply, page, goneScreen(page))
  const customer = { ...page.access, tokenId: null, requestId: request.id, ip: request.auditIp }
  const { revocation } = await deleteAccount(deps, customer, account.accountId, { by: 'customer' })
  return sendScreen(reply, page, disconnectedScreen(page, account, revocation))
}
