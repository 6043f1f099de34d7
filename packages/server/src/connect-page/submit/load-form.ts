import type { FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import { isSameOrigin } from '../../ui/same-origin.ts'
import { getStoredSettings } from '../../workspaces/serialize-workspace.ts'
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

/** A form that a person sent from a page of this visit. */
export interface LoadedForm {
  readonly form: URLSearchParams
  /** The id that the form carries: it counts once. */
  readonly submissionId: string
  /** Its visit is not known any more: it must not be used, but may be shown again in a new one. */
  readonly isSessionLost: boolean
}

/**
 * Loads the page that a form was sent from. A form counts only when a page of ours sent it and it belongs to the visit of
 * this very browser. Where only the cookie is missing, which lives for an hour, the page is loaded for a new visit.
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

/** The shell of a refusal: in a frame it must name who may hold it, or nobody would read it. */
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
    origins: frameOrigins(sharedLink.link, getStoredSettings(sharedLink.workspace)),
  }
}

interface LoadFormOptions {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of the address that it was sent to. */
  readonly searchParams: URLSearchParams
  /** Which visits may send it. */
  readonly sessionKinds: readonly ('page' | 'frame')[]
}
