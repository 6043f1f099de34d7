import type { FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { getForm } from '../../../platform/http/form-body.ts'
import { addLogFields } from '../../../platform/http/log.ts'
import type { CountedAttempt } from '../../../platform/record/attempt.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import { type AttemptOrigin, refuseUnloaded } from '../../attempts/attempt.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { findPageLink } from '../page/find-page-link.ts'
import { buildFormQuery, parsePageQuery } from '../page/page-context.ts'
import type { PageQuery } from '../page/page-query.ts'
import type { FormRequest } from './submitted-form.ts'

type RefusedPage = Pick<FormRequest, 'pageId' | 'searchParams'> & Pick<CountedAttempt, 'method'>

/**
 * Reports a form whose page was not loaded, because its client sends too many or the link accepts no accounts. Undefined codes
 * and unknown links are nothing to list.
 */
export async function recordRefusedPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { pageId, searchParams, method }: RefusedPage,
  code: ErrorCode | undefined,
): Promise<void> {
  if (code === undefined) return
  const query = parsePageQuery(buildFormQuery(searchParams, getForm(request)))
  const load = () => loadOrigin(deps, request, { pageId, method, query })
  const facts = [query?.integration, query?.accountIdentifier]
  const actor = {
    requestId: request.id,
    addLogFields: (fields: Readonly<Record<string, string>>) => addLogFields(request, fields),
  }
  await refuseUnloaded(deps, { actor, method, pageId, facts, load }, code)
}

async function loadOrigin(
  deps: ConnectPageDeps,
  { id: requestId }: FastifyRequest,
  {
    pageId,
    method,
    query,
  }: Pick<RefusedPage, 'pageId' | 'method'> & { readonly query: PageQuery | undefined },
): Promise<AttemptOrigin | undefined> {
  const found = await findPageLink(deps, pageId)
  if (found === undefined) return undefined
  const { link, workspace } = found
  const { workspaceId, linkId } = link
  const { userId } = workspace
  const connectSessionId = isId('cns', pageId) ? pageId : null
  const session = connectSessionId && (await deps.visitedSessions.find(connectSessionId))
  const { accountIdentifier = null } = session || { ...query }
  const access = { userId, boundWorkspaceId: workspaceId }
  const definitionId =
    query?.integration === undefined
      ? undefined
      : await deps.definitions.findIdByKey(access, workspaceId, query.integration)
  return {
    actor: { userId, tokenId: null, requestId },
    method,
    workspaceId,
    linkId,
    connectSessionId,
    accountIdentifier,
    definitionId: definitionId ?? null,
    authType: null,
  }
}

/** The error code of a screen that was shown instead of a form; undefined for a failure of the browser. */
export function getScreenCode({ state, data }: Screen): ErrorCode | undefined {
  // As the API says it of a definition that the link does not offer.
  if (state === 'notOffered') return 'unknown_reference'
  const code = String(data?.['data-code'])
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined
}
