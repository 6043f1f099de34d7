import type { FastifyRequest } from 'fastify'
import { addLogFields } from '../../../platform/http/log.ts'
import type { getProviderResponse } from '../../../platform/record/failure-code.ts'
import { settleConnectSession } from '../../connect-sessions/settle-connect-session.ts'
import { recordFailedAttempt } from '../../links/connect-failure-store.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { Failure } from './failure.ts'
import type { SubmittedForm } from './submitted-form.ts'

/**
 * Counts an attempt that connected nothing, and adds to the log line of its request why, which tool it was for, and through
 * what. A link id is a capability, so the log has its first characters only.
 */
export function reportFailedAttempt(
  { attemptCounts }: Pick<ConnectPageDeps, 'attemptCounts'>,
  request: FastifyRequest,
  { page, step }: SubmittedForm,
  { code }: Pick<Failure, 'code'>,
): void {
  const { connectSession, link } = page
  const { definition } = step.integration
  const method = step.authMethod.kind
  attemptCounts.add({ definition, method, outcome: 'failed', code })
  addLogFields(request, {
    error: code,
    workspaceId: link.workspaceId,
    tool: definition.key,
    ...(link.linkId === null ? {} : { link: link.linkId }),
    ...(connectSession === undefined ? {} : { connectSessionId: connectSession.connectSessionId }),
  })
}

/** Stores that a form was rejected, and records the failed attempt. */
export async function endFailedSubmission(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
  failure: Failure,
  { requestId, ...response }: { requestId: string } & ReturnType<typeof getProviderResponse>,
): Promise<void> {
  const { session, link, query, access } = page
  const now = deps.now()
  const { code, field } = failure
  await deps.database.transaction(async (trx) => {
    const ended = await deps.submissions.end(trx, { submissionId }, failure, now)
    if (ended === undefined) return
    const actor = { userId: access.userId, tokenId: null, requestId }
    if (ended.connectSessionId !== null)
      await settleConnectSession(deps, trx, actor, ended.connectSessionId, failure, now)
    await recordFailedAttempt(trx, actor, now, {
      workspaceId: link.workspaceId,
      definitionId: step.integration.definition.definitionId,
      linkId: link.linkId,
      authType: step.authMethod.authType,
      connectSessionId: ended.connectSessionId,
      tokenId: null,
      ...response,
      accountId: null,
      accountIdentifier: query.accountIdentifier ?? null,
      code,
      // The integration names the field: only names of the form are published.
      field: field !== undefined && Object.hasOwn(parsedForm.config, field) ? field : null,
      person: session.hash,
    })
  })
}
