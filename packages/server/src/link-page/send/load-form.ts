import type { FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../page/same-origin.ts'
import { againUrl } from '../address/again-url.ts'
import { isAttemptId } from '../address/page-query.ts'
import { refusalShell } from '../embed/refusal-shell.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { type Loaded, loadPage } from '../open/load-page.ts'
import { stopScreen } from '../view/stops.ts'
import { formVisit } from '../visit/visit.ts'

/** A form that a person sent from a page of this visit. */
export interface SentForm {
  readonly form: URLSearchParams
  /** The id that the form carries: it counts once. */
  readonly attempt: string
}

/**
 * Loads the page that a form was sent from. A form counts only when a page of ours sent it and it belongs to the visit of
 * this very browser.
 */
export async function loadForm(
  deps: LinkPageDeps,
  request: FastifyRequest,
  { mode, linkId, kinds }: LoadForm,
): Promise<Loaded & SentForm> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const attempt = form.get('attempt') ?? ''
  const visit = formVisit(request, form.get('visit'), deps.baseUrl())
  const isOurs = isSameOrigin(request, deps.baseUrl()) && isAttemptId(attempt)
  if (!isOurs || visit === undefined || !kinds.includes(visit.kind)) {
    const shell = await refusalShell(deps, request, mode, { linkId, given: form })
    const stop = stopScreen(shell, 'notOurs', { again: againUrl(mode, linkId, form) })
    return { page: undefined, shell, stop, form, attempt }
  }
  // What stands in a form besides the address of its page is not part of that address.
  const given = new URLSearchParams(form)
  for (const name of ['attempt', 'category', 'q']) given.delete(name)
  const loaded = await loadPage(deps, request, { mode, linkId, given, visit: () => visit })
  return { ...loaded, form, attempt }
}

interface LoadForm {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** Which visits may send it. */
  readonly kinds: readonly ('page' | 'frame')[]
}
