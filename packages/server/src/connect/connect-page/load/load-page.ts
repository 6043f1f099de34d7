import type { FastifyRequest } from 'fastify'
import { getWorkspaceDisplayName } from '../../../platform/i18n/get-messages.ts'
import { isId } from '../../../platform/storage/id.ts'
import { errorScreen, type PageError } from '../../../platform/ui/error-screen.ts'
import type { PageLayout } from '../../../platform/ui/screen.ts'
import { isClosed } from '../../links/link-policy.ts'
import {
  buildReturnUrl,
  isRedirectAllowed,
  selectRedirectAllowlist,
} from '../../oauth-flow/session/redirect-url.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { getLogoUrl } from '../logo.ts'
import { findPageLink } from '../page/find-page-link.ts'
import { createMinimalLayout, frameOrigins, parsePageQuery } from '../page/page-context.ts'
import type { PageQuery } from '../page/page-query.ts'
import { sessionField } from '../session/page-session.ts'
import { loadSessionPage } from './load-session-page.ts'
import type { LoadedPage, PageRequest } from './page-request.ts'

/**
 * Loads the page of a link. Unknown and malformed link IDs get the same error. A closed link, a redirect URL that is not on
 * the allowlist, and a frame that is not allowed are error screens.
 */
export async function loadPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  pageRequest: PageRequest,
): Promise<LoadedPage> {
  const { mode, pageId: linkId, searchParams, openSession } = pageRequest
  if (isId('cns', linkId))
    return loadSessionPage(deps, request, { ...pageRequest, connectSessionId: linkId })
  const minimal = createMinimalLayout(request, mode, searchParams)
  const sharedLink = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  if (sharedLink === undefined) return withError(minimal, 'unknownLink')
  const { link, workspace } = sharedLink
  const settings = workspace.settings
  const workspaceName = getWorkspaceDisplayName(workspace, minimal.messages)
  const origins = mode === 'frame' ? frameOrigins(link, settings) : []
  const layout: PageLayout = { ...minimal, origins, branding: settings.theme }
  if (mode === 'frame' && origins.length === 0) return withError(layout, 'notHere')
  if (link.sessionsOnly) return withError(layout, 'session_required')
  const query = parsePageQuery(searchParams)
  if (query === undefined) return withError(layout, 'wrongAddress', workspaceName)
  const { redirectURL } = query
  if (
    redirectURL !== undefined &&
    !isRedirectAllowed(redirectURL, selectRedirectAllowlist(workspace, link), deps.baseUrl())
  )
    return withError(layout, 'redirectNotAllowed')
  const closeReason = link.revokedAt !== null ? 'link_revoked' : 'link_expired'
  if (isClosed(link, deps.now())) {
    deps.counters.refused(link.linkId, closeReason)
    return {
      page: undefined,
      layout,
      screen: errorScreen(layout, closeReason, {
        workspaceName,
        expiresAt: link.expiresAt,
        returnUrl: mode === 'page' ? buildLeaveUrl(link.linkId, query) : undefined,
      }),
    }
  }
  const access = { userId: workspace.userId, boundWorkspaceId: workspace.workspaceId }
  const { logoUrl: logoSource } = settings.theme ?? {}
  const session = openSession()
  if (session === undefined) return withError(layout, 'notOurs')
  return {
    page: {
      ...layout,
      pageId: link.linkId,
      given: {},
      link,
      workspace,
      workspaceName,
      logo: logoSource === undefined ? undefined : getLogoUrl(deps, link, logoSource, link.linkId),
      access,
      query,
      session,
      data: { 'data-visit': sessionField(session), 'data-link': linkId },
    },
  }
}

/** The redirect URL for a person who leaves a closed link. */
function buildLeaveUrl(linkId: string, query: PageQuery): string | undefined {
  const { redirectURL, accountIdentifier = null } = query
  if (redirectURL === undefined) return undefined
  const left = { success: 'false', error: 'cancelled' }
  return buildReturnUrl(redirectURL, { ...left, accountIdentifier, linkId })
}

function withError(layout: PageLayout, error: PageError, workspaceName?: string): LoadedPage {
  return { page: undefined, layout, screen: errorScreen(layout, error, { workspaceName }) }
}

/** The layout of a rejected form. In a frame its CSP must list the allowed origins, or the browser would not show it. */
export async function loadErrorLayout(
  deps: Pick<ConnectPageDeps, 'sharedLinks' | 'visitedSessions'>,
  request: FastifyRequest,
  { mode, pageId, searchParams }: Omit<PageRequest, 'openSession'>,
): Promise<PageLayout> {
  const layout = createMinimalLayout(request, mode, searchParams)
  if (mode === 'page') return layout
  const sharedLink = await findPageLink(deps, pageId)
  if (sharedLink === undefined) return layout
  return {
    ...layout,
    origins: frameOrigins(sharedLink.link, sharedLink.workspace.settings),
  }
}
