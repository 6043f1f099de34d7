import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../http/requested-host.ts'
import { isId } from '../../storage/id.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { type FormStep, linkLimitReason, listIntegrations, resolveStep } from '../integrations.ts'
import { type LoadedPage, loadPage } from '../load/load-page.ts'
import {
  frameOrigins,
  minimalLayout,
  type PageContext,
  type PageLayout,
} from '../page/page-context.ts'
import { formQuery, isSubmissionId, retryUrl } from '../page/page-query.ts'
import type { Screen } from '../page/screen.ts'
import { linkFullScreen } from '../screens/connected-screen.ts'
import { errorScreen } from '../screens/error-screens.ts'
import { noLongerOfferedScreen } from '../screens/unavailable-screens.ts'
import {
  cookieSession,
  hadCookie,
  type PageSession,
  sessionFromForm,
} from '../session/page-session.ts'

/** A submitted form and its page. */
interface LoadedForm {
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

/** Resolves the submitted form as the link offers it now, or the screen that explains why it is not offered. */
export async function resolveForm(
  deps: ConnectPageDeps,
  page: PageContext,
  form: URLSearchParams,
  kind: 'credentials' | 'sign_in',
): Promise<
  | { readonly step: FormStep; readonly screen?: undefined }
  | { readonly step?: undefined; readonly screen: Screen }
> {
  const offered = await listIntegrations(deps, page)
  const step = resolveStep(page, offered.integrations)
  const { integration, auth } = page.query
  const isRequestedForm =
    step.type === 'form' &&
    step.authMethod.kind === kind &&
    step.authMethod.authType === auth &&
    step.integration.definition.key === integration
  if (isRequestedForm) return { step }
  const limitReason = await linkLimitReason(deps, page)
  const sessionKey = { sessionHash: page.session.hash, linkId: page.link.linkId }
  if (limitReason !== undefined)
    return {
      screen: linkFullScreen(page, limitReason, await deps.submissions.accounts(sessionKey)),
    }
  const option = offered.integrations.find(({ definition }) => definition.key === integration)
  return { screen: noLongerOfferedScreen(page, option, form.get('tool') ?? integration ?? '') }
}
