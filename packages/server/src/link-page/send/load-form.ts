import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../page/same-origin.ts'
import { againUrl } from '../address/again-url.ts'
import { formQuery, isAttemptId } from '../address/page-query.ts'
import { refusalShell } from '../embed/refusal-shell.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { type Loaded, loadPage } from '../open/load-page.ts'
import { stopScreen } from '../view/stops.ts'
import { formVisit, hadCookie, pageVisit, type Visit } from '../visit/visit.ts'

/** A form that a person sent from a page of this visit. */
export interface SentForm {
  readonly form: URLSearchParams
  /** The id that the form carries: it counts once. */
  readonly attempt: string
  /** Its visit is not known any more: it must not be used, but may be shown again in a new one. */
  readonly isLost: boolean
}

/**
 * Loads the page that a form was sent from. A form counts only when a page of ours sent it and it belongs to the visit of
 * this very browser. Where only the cookie is missing, which lives for an hour, the page is loaded for a new visit.
 */
export async function loadForm(
  deps: LinkPageDeps,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { mode, linkId, given: address, kinds }: LoadForm,
): Promise<Loaded & SentForm> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const given = formQuery(address, form)
  const attempt = form.get('attempt') ?? ''
  const field = form.get('visit')
  const isOurs = isSameOrigin(request, deps.baseUrl()) && isAttemptId(attempt)
  const visit = isOurs ? formVisit(request, field, deps.baseUrl()) : undefined
  const isLost = isOurs && visit === undefined && kinds.includes('page') && hadCookie(field)
  if (!isLost && (visit === undefined || !kinds.includes(visit.kind))) {
    const shell = await refusalShell(deps, request, mode, { linkId, given })
    const stop = stopScreen(shell, 'notOurs', { again: againUrl(mode, linkId, given) })
    return { page: undefined, shell, stop, form, attempt, isLost }
  }
  const visitOf = (): Visit => visit ?? pageVisit(request, reply, deps.baseUrl())
  const loaded = await loadPage(deps, request, { mode, linkId, given, visit: visitOf })
  return { ...loaded, form, attempt, isLost }
}

interface LoadForm {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of the address that it was sent to. */
  readonly given: URLSearchParams
  /** Which visits may send it. */
  readonly kinds: readonly ('page' | 'frame')[]
}
