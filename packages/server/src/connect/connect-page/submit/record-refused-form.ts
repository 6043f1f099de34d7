import type { FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { getForm } from '../../../platform/http/form-body.ts'
import { addLogFields } from '../../../platform/http/log.ts'
import type { ConnectAttempt, CountedAttempt } from '../../../platform/record/attempt.ts'
import {
  type AttemptBounds,
  insertBoundedAttempt,
  REFUSED_BOUNDS,
} from '../../../platform/record/bounded-attempt-store.ts'
import { getPageOrigin } from '../../../platform/record/record-store.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { findPageLink } from '../page/find-page-link.ts'
import { buildFormQuery, parsePageQuery } from '../page/page-context.ts'
import { reportFailedAttempt } from './end-failed-submission.ts'
import type { FormRequest, SubmittedForm } from './submitted-form.ts'

/** Counts, logs and lists a form that was refused before anything was sent to the provider. Never throws. */
export async function recordRefusedForm(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  submitted: SubmittedForm,
  code: string,
): Promise<void> {
  reportFailedAttempt(deps, request, submitted, { code })
  const attempt = describeForm(submitted)
  await store(deps, request, { ...attempt, outcome: 'failed', code })
}

/** Counts and lists a form whose check the person cancelled. */
export async function recordCancelledForm(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  submitted: SubmittedForm,
): Promise<void> {
  const { definition } = submitted.step.integration
  deps.attemptCounts.add({ definition, method: 'credentials', outcome: 'cancelled', code: null })
  const { page, submissionId } = submitted
  const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
  // An erasure ends a check by deleting the submission: its customer must not be stored again.
  if ((await deps.submissions.find(sessionKey, submissionId)) === undefined) return
  await insert(deps, request, { ...describeForm(submitted), outcome: 'cancelled', code: null })
}

type RefusedPage = Pick<FormRequest, 'pageId' | 'searchParams'> & Pick<CountedAttempt, 'method'>

/**
 * The same for a form whose page was not loaded, because its client sends too many or the link accepts no accounts. Undefined
 * codes and unknown links are nothing to list.
 */
export async function recordRefusedPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { pageId, searchParams, method }: RefusedPage,
  code: ErrorCode | undefined,
): Promise<void> {
  if (code === undefined) return
  deps.attemptCounts.add({ definition: undefined, method, outcome: 'failed', code })
  const connectSessionId = isId('cns', pageId) ? pageId : null
  addLogFields(request, {
    error: code,
    ...(isId('lnk', pageId) ? { link: pageId } : {}),
    ...(connectSessionId === null ? {} : { connectSessionId }),
  })
  const form = getForm(request)
  const query = parsePageQuery(buildFormQuery(searchParams, form))
  const facts = [query?.integration, query?.accountIdentifier, code]
  // Before any query: the sender may know a link id, and pays nothing for its requests.
  if (!deps.attemptGate.admits(pageId.slice(0, 64), facts)) return
  const found = await findPageLink(deps, pageId).catch(() => undefined)
  if (found === undefined) return
  const { link, workspace } = found
  const { workspaceId } = link
  const access = { userId: workspace.userId, boundWorkspaceId: workspaceId }
  const definitionId =
    query?.integration === undefined
      ? undefined
      : await deps.definitions.findIdByKey(access, workspaceId, query.integration)
  const session = connectSessionId && (await deps.visitedSessions.find(connectSessionId))
  const { accountIdentifier = null } = session || { ...query }
  await insert(deps, request, {
    workspaceId,
    linkId: link.linkId,
    connectSessionId,
    accountIdentifier,
    code,
    definitionId: definitionId ?? null,
    authType: null,
    via: getPageOrigin(connectSessionId),
    outcome: 'failed',
  })
}

/** The error code of a screen that was shown instead of a form; undefined for a failure of the browser. */
export function getScreenCode({ state, data }: Screen): ErrorCode | undefined {
  // As the API says it of a definition that the link does not offer.
  if (state === 'notOffered') return 'unknown_reference'
  const code = String(data?.['data-code'])
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined
}

function describeForm({ page, step }: SubmittedForm) {
  const { link, account, connectSession, query } = page
  const connectSessionId = connectSession?.connectSessionId ?? null
  return {
    workspaceId: link.workspaceId,
    linkId: link.linkId,
    connectSessionId,
    definitionId: step.integration.definition.definitionId,
    authType: step.authMethod.authType,
    accountId: account?.accountId ?? null,
    accountIdentifier: account?.accountIdentifier ?? query.accountIdentifier ?? null,
    via: getPageOrigin(connectSessionId),
  }
}

type RefusedAttempt = Omit<ConnectAttempt, 'providerStatus' | 'accountId'> &
  Partial<Pick<ConnectAttempt, 'accountId'>>

async function store(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  attempt: RefusedAttempt,
): Promise<void> {
  const { definitionId, accountIdentifier, code, connectSessionId, linkId, workspaceId } = attempt
  const scope = connectSessionId ?? linkId ?? workspaceId
  if (deps.attemptGate.admits(scope, [definitionId, accountIdentifier, code]))
    await insert(deps, request, attempt, REFUSED_BOUNDS)
}

async function insert(
  { database, now }: ConnectPageDeps,
  { id: requestId }: FastifyRequest,
  attempt: RefusedAttempt,
  bounds: AttemptBounds = REFUSED_BOUNDS,
): Promise<void> {
  const row = { accountId: null, ...attempt, providerStatus: null }
  await database
    .transaction((trx) => insertBoundedAttempt(trx, { requestId }, now(), row, bounds))
    .catch(() => undefined)
}
