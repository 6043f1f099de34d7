import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../http/requested-host.ts'
import { isId } from '../../storage/id.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { type LoadedPage, loadPage } from '../load/load-page.ts'
import { frameOrigins } from '../page/frame-origins.ts'
import { minimalLayout } from '../page/minimal-layout.ts'
import type { PageLayout } from '../page/page-context.ts'
import { errorScreen } from '../screens/error-screens.ts'
import {
  cookieSession,
  hadCookie,
  type PageSession,
  sessionFromForm,
} from '../session/page-session.ts'
import { formQuery, isSubmissionId } from '../url/page-query.ts'
import { retryUrl } from '../url/retry-url.ts'

/** A submitted form and its page. */
export interface LoadedForm {
  readonly form: URLSearchParams
  /** The form's ID, which is processed once. */
  readonly submissionId: string
  /** The session has expired: the form must not be processed, but may be rendered again in a new session. */
  readonly isSessionLost: boolean
}

/**
 * Loads the page of a submitted form. The form must be same-origin and belong to the session of this browser. When only the
 * session cookie is missing, which lasts an hour, the page is loaded in a new session.
 */
export async function loadForm(
  deps: ConnectPageDeps,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { mode, linkId, searchParams: urlParams, sessionKinds }: LoadFormOptions,
): Promise<LoadedPage & LoadedForm> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const searchParams = formQuery(urlParams, form)
  const submissionId = form.get('attempt') ?? ''
  const sessionValue = form.get('visit')
  const isTrusted = isSameOrigin(request, deps.baseUrl()) && isSubmissionId(submissionId)
  const session = isTrusted ? sessionFromForm(request, sessionValue, deps.baseUrl()) : undefined
  const isSessionLost =
    isTrusted && session === undefined && sessionKinds.includes('page') && hadCookie(sessionValue)
  if (!isSessionLost && (session === undefined || !sessionKinds.includes(session.kind))) {
    const layout = await errorLayout(deps, request, mode, { linkId, searchParams })
    const screen = errorScreen(layout, 'notOurs', {
      retryUrl: retryUrl(mode, linkId, searchParams),
    })
    return { page: undefined, layout, screen, form, submissionId, isSessionLost }
  }
  const openSession = (): PageSession => session ?? cookieSession(request, reply, deps.baseUrl())
  const loaded = await loadPage(deps, request, {
    mode,
    linkId,
    searchParams,
    openSession,
  })
  return { ...loaded, form, submissionId, isSessionLost }
}

/** The layout of a rejected form. In a frame its CSP must list the allowed origins, or the browser would not show it. */
async function errorLayout(
  deps: Pick<ConnectPageDeps, 'sharedLinks'>,
  request: FastifyRequest,
  mode: 'page' | 'frame',
  { linkId, searchParams }: { readonly linkId: string; readonly searchParams: URLSearchParams },
): Promise<PageLayout> {
  const layout = minimalLayout(request, mode, searchParams)
  if (mode === 'page' || !isId('lnk', linkId)) return layout
  const sharedLink = await deps.sharedLinks.find(linkId)
  if (sharedLink === undefined) return layout
  return {
    ...layout,
    origins: frameOrigins(sharedLink.link, sharedLink.workspace.settings),
  }
}

interface LoadFormOptions {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of the form's action URL. */
  readonly searchParams: URLSearchParams
  /** The kinds of session that may submit the form. */
  readonly sessionKinds: readonly ('page' | 'frame')[]
}
