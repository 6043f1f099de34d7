import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepBrowserSecret } from '../../connect/pages/browser-secret.ts'
import { beginHere } from '../../connect/start/begin-here.ts'
import { sendOn } from '../../page/send-page.ts'
import type { VisitAttemptRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { attemptScreen } from '../attempt/attempt-screen.ts'
import { newVisitAttempt } from '../attempt/new-visit-attempt.ts'
import { type ReadConfig, readConfig } from '../form/read-config.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import type { FormPlace } from '../open/place.ts'
import { accountName } from '../send/account-name.ts'
import {
  countedCode,
  type Failure,
  failedForm,
  failureOf,
  isOurFault,
} from '../send/failed-form.ts'
import { findFormPlace } from '../send/find-form-place.ts'
import { loadForm } from '../send/load-form.ts'
import { lostForm } from '../send/lost-form.ts'
import { formScreen } from '../view/form-screen.ts'
import type { Page } from '../view/page.ts'
import { sendScreen } from '../view/send-screen.ts'
import { isStop, stopScreen } from '../view/stops.ts'
import { browserSecretOf } from '../visit/visit.ts'
import { wayBackUrl } from './after-sign-in.ts'

/**
 * Takes the form that begins signing in, at the top of a window, and sends the person to the provider. Sent again while it
 * runs, it goes there anew: the window was opened again. The first way there then leads nowhere.
 */
export async function signInForm(
  deps: LinkPageDeps,
  { linkId, given }: { readonly linkId: string; readonly given: URLSearchParams },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const kinds = ['page', 'frame'] as const
  const sender = { request, reply }
  const loaded = await loadForm(deps, sender, { mode: 'page', linkId, given, kinds })
  if (loaded.page === undefined) return sendScreen(reply, loaded.shell, loaded.stop)
  const { form, attempt } = loaded
  const isBeside = form.get('window') === 'popup' || loaded.page.visit.kind === 'frame'
  const page: Page = { ...loaded.page, window: isBeside ? 'popup' : undefined }
  const found = await findFormPlace(deps, page, form, 'sign_in')
  if (found.place === undefined) return sendScreen(reply, page, found.screen)
  const sent = { page, place: found.place, attempt, read: readConfig(found.place.fields, form) }
  if (loaded.isLost) return sendScreen(reply, page, lostForm(page, sent.place, sent.read))
  try {
    const row = newVisitAttempt(page, sent.place, attempt, { kind: 'sign_in', now: deps.now() })
    const url = await begin(deps, sent, row, request, reply)
    return sendOn(reply, url ?? wayBackUrl(deps.baseUrl(), row))
  } catch (error) {
    if (!(error instanceof SentBefore)) return refuse(deps, reply, sent, error)
    const screen = await attemptScreen(deps, page, { attempt, again: true })
    return sendScreen(reply, page, screen ?? stopScreen(page, 'notOurs', { by: page.by }))
  }
}

interface Sent {
  readonly page: Page
  readonly place: FormPlace
  readonly attempt: string
  readonly read: ReadConfig
}

/** The form was used up before, and does not wait for anybody to sign in. */
class SentBefore extends Error {}

async function begin(
  deps: LinkPageDeps,
  { page, place, read }: Sent,
  row: VisitAttemptRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { link, reach, query } = page
  const { definition } = place.tool
  const input = {
    linkId: link.link_id,
    integrationDefinitionId: definition.definition_id,
    integrationAccountName: await accountName(deps, page, definition),
    authType: place.way.authType,
    config: read.config,
    accountIdentifier: query.accountIdentifier ?? null,
    confirm: false,
  }
  const browserSecret = keepBrowserSecret(
    request,
    reply,
    deps.baseUrl(),
    browserSecretOf(page.visit),
  )
  const starter = { ...reach, tokenId: null, requestId: request.id }
  const url = await beginHere(deps, starter, {
    input,
    browserSecret,
    keep: (trx, { attempt_id }) => keep(deps, trx, { ...row, oauth_attempt_id: attempt_id }),
  })
  deps.counters.attempted(link.link_id)
  return url
}

async function keep(deps: LinkPageDeps, trx: Transaction, row: VisitAttemptRow): Promise<void> {
  if (await deps.visitAttempts.begin(trx, row)) return
  const before = await deps.visitAttempts.rebind(trx, row)
  if (before === undefined) throw new SentBefore()
  await deps.attempts.finish(trx, before, 'window_replaced', deps.now())
}

/** Nothing has begun: the form again, with the same id, which is not used up. */
function refuse(
  deps: LinkPageDeps,
  reply: FastifyReply,
  { page, place, attempt, read }: Sent,
  error: unknown,
): FastifyReply {
  const failure: Failure = failureOf(error)
  const { code } = failure
  deps.counters.attempted(page.link.link_id)
  deps.counters.refused(page.link.link_id, countedCode(failure))
  if (isStop(code))
    return sendScreen(reply, page, stopScreen(page, code, { by: page.by, link: page.link }))
  if (isOurFault(failure)) throw error
  const again = failedForm(page, place, read, failure)
  return sendScreen(reply, page, formScreen(page, { ...place, sent: again, attempt }))
}
