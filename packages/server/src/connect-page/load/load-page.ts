import type { FastifyRequest } from 'fastify'
import { getWorkspaceDisplayName } from '../../i18n/get-messages.ts'
import { isClosed } from '../../links/link-policy.ts'
import {
  isRedirectAllowed,
  selectRedirectAllowlist,
} from '../../oauth-flow/session/redirect-url.ts'
import { isId } from '../../storage/id.ts'
import { errorScreen, type PageError } from '../../ui/error-screen.ts'
import type { PageLayout, Screen } from '../../ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { getLogoUrl } from '../logo.ts'
import {
  createMinimalLayout,
  frameOrigins,
  type PageContext,
  parsePageQuery,
} from '../page/page-context.ts'
import { type PageSession, sessionField } from '../session/page-session.ts'

/** A page, or the error screen to show instead. */
export type LoadedPage =
  | { readonly page: PageContext }
  | { readonly page: undefined; readonly layout: PageLayout; readonly screen: Screen }

/** The parts of a request that determine the page. */
export interface PageRequest {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of the URL or of a submitted form. */
  readonly searchParams: URLSearchParams
  readonly openSession: () => PageSession
}

/**
 * Loads the page of a link. Unknown and malformed link IDs get the same error. A closed link, a redirect URL that is not on
 * the allowlist, and a frame that is not allowed are error screens.
 */
export async function loadPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { mode, linkId, searchParams, openSession }: PageRequest,
): Promise<LoadedPage> {
  const minimal = createMinimalLayout(request, mode, searchParams)
  const sharedLink = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  if (sharedLink === undefined) return withError(minimal, 'unknownLink')
  const { link, workspace } = sharedLink
  const settings = workspace.settings
  const workspaceName = getWorkspaceDisplayName(workspace, minimal.messages)
  const origins = mode === 'frame' ? frameOrigins(link, settings) : []
  const layout: PageLayout = { ...minimal, origins, branding: settings.theme }
  if (mode === 'frame' && origins.length === 0) return withError(layout, 'notHere')
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
      screen: errorScreen(layout, closeReason, { workspaceName, expiresAt: link.expiresAt }),
    }
  }
  const access = { userId: workspace.userId, boundWorkspaceId: workspace.workspaceId }
  const { logoUrl: logoSource } = settings.theme ?? {}
  const session = openSession()
  return {
    page: {
      ...layout,
      link,
      workspace,
      workspaceName,
      logo: logoSource === undefined ? undefined : getLogoUrl(deps, link, logoSource),
      access,
      query,
      session,
      data: { 'data-visit': sessionField(session), 'data-link': linkId },
    },
  }
}

function withError(layout: PageLayout, error: PageError, workspaceName?: string): LoadedPage {
  return { page: undefined, layout, screen: errorScreen(layout, error, { workspaceName }) }
}

/** The layout of a rejected form. In a frame its CSP must list the allowed origins, or the browser would not show it. */
export async function loadErrorLayout(
  deps: Pick<ConnectPageDeps, 'sharedLinks'>,
  request: FastifyRequest,
  { mode, linkId, searchParams }: Omit<PageRequest, 'openSession'>,
): Promise<PageLayout> {
  const layout = createMinimalLayout(request, mode, searchParams)
  if (mode === 'page' || !isId('lnk', linkId)) return layout
  const sharedLink = await deps.sharedLinks.find(linkId)
  if (sharedLink === undefined) return layout
  return {
    ...layout,
    origins: frameOrigins(sharedLink.link, sharedLink.workspace.settings),
  }
}
