import type { FastifyReply, FastifyRequest } from 'fastify'
import { askIdentity } from '../../account/check/ask-identity.ts'
import { CredentialsRejected } from '../../account/check/credentials-rejected.ts'
import { ApiError } from '../../errors.ts'
import { requestedBaseUrl } from '../../http/requested-host.ts'
import { createAccountThroughLink } from '../../link/create-account-through-link.ts'
import { sendOn } from '../../page/send-page.ts'
import { attemptScreen } from '../attempt/attempt-screen.ts'
import { endVisitAttempt } from '../attempt/end-visit-attempt.ts'
import { newVisitAttempt } from '../attempt/new-visit-attempt.ts'
import { type ReadConfig, readConfig } from '../form/read-config.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import type { FormPlace } from '../open/place.ts'
import { formScreen } from '../view/form-screen.ts'
import { type Page, pageUrl } from '../view/page.ts'
import { sendScreen } from '../view/send-screen.ts'
import { isStop, stopScreen } from '../view/stops.ts'
import { tooManyFailedScreen } from '../view/too-many-failed.ts'
import { accountName } from './account-name.ts'
import { countedCode, type Failure, failedForm, failureOf, isOurFault } from './failed-form.ts'
import { findFormPlace } from './find-form-place.ts'
import { loadForm } from './load-form.ts'
import { lostForm } from './lost-form.ts'

/** Where a form was sent to. */
export interface FormAddress {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of that address. */
  readonly given: URLSearchParams
}

/** What was sent, and where from. */
interface Sent {
  readonly page: Page
  readonly place: FormPlace
  readonly attempt: string
  readonly read: ReadConfig
}

/**
 * Takes a form of keys: checks them and connects the account. A form counts once; sent again it shows how it went the
 * first time.
 */
export async function connectForm(
  deps: LinkPageDeps,
  { mode, linkId, given }: FormAddress,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sender = { request, reply }
  const loaded = await loadForm(deps, sender, { mode, linkId, given, kinds: [mode] })
  if (loaded.page === undefined) return sendScreen(reply, loaded.shell, loaded.stop)
  const { page, form, attempt } = loaded
  const found = await findFormPlace(deps, page, form, 'credentials')
  if (found.place === undefined) return sendScreen(reply, page, found.screen)
  const { place } = found
  const sent = { page, place, attempt, read: readConfig(place.fields, form) }
  if (loaded.isLost) return sendScreen(reply, page, lostForm(page, place, sent.read))
  const failure = await connect(deps, sent, request)
  if (typeof failure === 'number')
    return sendScreen(reply, page, tooManyFailedScreen(page, failure))
  if (failure === 'sent before') return sendScreen(reply, page, await before(deps, sent))
  if (failure !== undefined) return sendFailure(reply, sent, failure)
  // A frame has no cookie by which the next page would know the visit.
  if (mode === 'page') {
    const base = requestedBaseUrl(request, deps.baseUrl())
    return sendOn(reply, `${base}${pageUrl(page, { attempt })}`)
  }
  const screen = await attemptScreen(deps, page, { attempt })
  return sendScreen(reply, page, screen ?? stopScreen(page, 'busy'))
}

/** Connects the account; answers why not, if so, or how many seconds to wait. What failed on our side is thrown. */
async function connect(
  deps: LinkPageDeps,
  sent: Sent,
  { id: requestId, ip }: FastifyRequest,
): Promise<Failure | 'sent before' | number | undefined> {
  const { page, place, attempt, read } = sent
  if (Object.keys(read.errors).length > 0) return { code: 'validation_failed', errors: read.errors }
  const { link_id: linkId } = page.link
  const check = deps.failedChecks.admit({
    visit: visitKey(page),
    ip,
    linkId,
    workspaceId: page.link.workspace_id,
    definitionId: place.tool.definition.definition_id,
  })
  if (typeof check === 'number') return check
  const now = deps.now()
  const row = newVisitAttempt(page, place, attempt, { kind: 'credentials', now })
  let hasFailed = false
  try {
    const isFirst = await deps.database.transaction((trx) => deps.visitAttempts.begin(trx, row))
    if (!isFirst) return 'sent before'
    deps.counters.attempted(linkId)
    await check.delay()
    await store(deps, sent, requestId)
    deps.counters.succeeded(linkId)
    return undefined
  } catch (error) {
    hasFailed = isRefusal(error)
    if (error instanceof TakenBack) return { code: 'cancelled' }
    const failure = failureOf(error)
    deps.counters.refused(linkId, countedCode(failure))
    await deps.database.transaction((trx) =>
      endVisitAttempt(deps.visitAttempts, trx, { attemptId: attempt }, failure, deps.now()),
    )
    if (isOurFault(failure)) throw error
    return failure
  } finally {
    if (hasFailed) check.failed()
    else check.passed()
  }
}

/** Whether a failure tells that credentials are wrong: in a verdict, or by an integration that throws instead. */
function isRefusal(error: unknown): boolean {
  if (error instanceof CredentialsRejected) return true
  return error instanceof ApiError && error.code === 'integration_failed'
}

function visitKey({ visit }: Sent['page']): string {
  return Buffer.from(visit.hash).toString('base64')
}

/** Stores the account, and in the same transaction that the attempt led to it. */
async function store(
  deps: LinkPageDeps,
  { page, place, attempt, read }: Sent,
  requestId: string,
): Promise<void> {
  const { link, reach, query } = page
  const { definition } = place.tool
  const name = await accountName(deps, page, definition)
  const input = {
    integrationDefinitionId: definition.definition_id,
    integrationAccountName: name,
    authType: place.way.authType,
    config: read.config,
    accountIdentifier: query.accountIdentifier ?? null,
  }
  const by = { attemptId: attempt }
  const starter = { ...reach, tokenId: null, requestId }
  await createAccountThroughLink(deps, starter, link.link_id, input, {
    visit: visitKey(page),
    name: async (accepted) => (await askIdentity(deps, accepted)).label ?? name,
    async admit(trx, { account_id: accountId }) {
      const end = { accountId }
      const isWanted = await endVisitAttempt(deps.visitAttempts, trx, by, end, deps.now())
      if (!isWanted) throw new TakenBack()
    },
  })
}

/** The person cancelled while it was checked: the account is not stored. */
class TakenBack extends Error {}

/** The form was sent before: how it stands, or the form again when it failed. */
async function before(deps: LinkPageDeps, { page, place, attempt, read }: Sent) {
  const visit = { visitHash: page.visit.hash, linkId: page.link.link_id }
  const row = await deps.visitAttempts.find(visit, attempt)
  if (row?.state === 'failed') {
    const failure = {
      code: row.code ?? 'unknown',
      field: row.field ?? undefined,
      hint: row.hint ?? undefined,
    }
    return formScreen(page, { ...place, sent: failedForm(page, place, read, failure) })
  }
  const screen = await attemptScreen(deps, page, { attempt, again: true })
  return screen ?? stopScreen(page, 'notOurs', { by: page.by, again: pageUrl(page) })
}

function sendFailure(
  reply: FastifyReply,
  { page, place, read }: Sent,
  failure: Failure,
): FastifyReply {
  const { code } = failure
  if (isStop(code))
    return sendScreen(reply, page, stopScreen(page, code, { by: page.by, link: page.link }))
  const sent = failedForm(page, place, read, failure)
  return sendScreen(reply, page, formScreen(page, { ...place, sent }))
}
