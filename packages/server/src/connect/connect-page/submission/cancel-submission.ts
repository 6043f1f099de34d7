import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../../platform/http/get-requested-host.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { isSubmissionId } from '../page/page-context.ts'
import { findSessionKey, getSubmission } from './get-submission.ts'

/**
 * Cancels a running credentials check: an account that is not stored yet never will be. Responds with the resulting state,
 * `connected` when the account was already stored. Requires a same-origin request of the submission's session.
 */
export async function cancelSubmission(
  deps: ConnectPageDeps,
  { pageId, attemptId }: { readonly pageId: string; readonly attemptId: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sessionKey = await findSessionKey(deps, pageId, request)
  const isTrusted = isSameOrigin(request, deps.baseUrl()) && isSubmissionId(attemptId)
  if (sessionKey !== undefined && isTrusted) {
    const row = await deps.submissions.find(sessionKey, attemptId)
    if (row?.kind === 'credentials' && row.state === 'running')
      await deps.database.transaction((trx) =>
        deps.submissions.end(trx, { submissionId: attemptId }, { code: 'cancelled' }, deps.now()),
      )
  }
  return getSubmission(deps, { pageId, attemptId }, request, reply)
}
