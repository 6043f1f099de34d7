import type { FastifyRequest } from 'fastify'
import { isRedirectAllowed, redirectPlace } from '../../connect/start/redirect-url.ts'
import { isExpired } from '../../link/link-answer.ts'
import { chooseLanguage } from '../../page/language.ts'
import { chooseTheme } from '../../page/theme.ts'
import { wordsOf } from '../../page/words/words-of.ts'
import { isId } from '../../storage/id.ts'
import { settingsOf } from '../../workspace/settings-of.ts'
import { readPageQuery } from '../address/page-query.ts'
import { frameOrigins } from '../embed/frame-origins.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { logoUrl } from '../logo/send-logo.ts'
import type { Page, Shell } from '../view/page.ts'
import type { Screen } from '../view/screen.ts'
import { stopScreen } from '../view/stops.ts'
import type { Visit } from '../visit/visit.ts'
import { askerName } from './asker-name.ts'

/** A page that can be shown, or what stops it. */
export type Loaded =
  | { readonly page: Page }
  | { readonly page: undefined; readonly shell: Shell; readonly stop: Screen }

/** What of a request makes a page. */
export interface PageRequest {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of an address, or a form that repeats it. */
  readonly given: URLSearchParams
  readonly visit: () => Visit
}

/** How a page is dressed before anything is known of its link. */
export function bareShell(
  request: FastifyRequest,
  mode: Shell['mode'],
  given: URLSearchParams,
): Shell {
  const language = chooseLanguage(given.get('lang'), request.headers['accept-language'])
  return {
    mode,
    language,
    words: wordsOf(language),
    theme: chooseTheme(given.get('theme')),
    origins: [],
  }
}

/**
 * Loads the page of a link. Unknown and malformed links look alike; a link that is closed, an address to go back to that
 * nobody allowed, and a frame where none may be, stop everything else.
 */
export async function loadPage(
  deps: LinkPageDeps,
  request: FastifyRequest,
  { mode, linkId, given, visit }: PageRequest,
): Promise<Loaded> {
  const bare = bareShell(request, mode, given)
  const found = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  if (found === undefined) return stopped(bare, 'unknownLink')
  const { link, workspace } = found
  const settings = settingsOf(workspace)
  const by = askerName(found)
  const origins = mode === 'frame' ? frameOrigins(link, settings) : []
  const shell: Shell = { ...bare, origins, settings }
  if (mode === 'frame' && origins.length === 0) return stopped(shell, 'notHere')
  const query = readPageQuery(given)
  if (query === undefined) return stopped(shell, 'wrongAddress', by)
  const { redirectURL } = query
  const place = redirectPlace(workspace, link)
  if (redirectURL !== undefined && !isRedirectAllowed(redirectURL, place, deps.baseUrl()))
    return stopped(shell, 'redirectNotAllowed')
  const closed = link.revoked_at !== null ? 'link_revoked' : 'link_expired'
  if (isExpired(link, deps.now())) {
    deps.counters.refused(linkId, closed)
    return { page: undefined, shell, stop: stopScreen(shell, closed, { by, link }) }
  }
  const reach = { userId: workspace.user_id, boundTo: workspace.workspace_id }
  const logo = logoUrl(deps, link, settings)
  return { page: { ...shell, link, workspace, by, logo, reach, query, visit: visit() } }
}

function stopped(shell: Shell, why: Parameters<typeof stopScreen>[1], by?: string): Loaded {
  return { page: undefined, shell, stop: stopScreen(shell, why, { by }) }
}
