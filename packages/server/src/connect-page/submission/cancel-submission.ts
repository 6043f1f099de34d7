import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../http/get-requested-host.ts'
import type { LinkId } from '../../links/link.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { isSubmissionId } from '../page/page-context.ts'
import { getSessionFromRequest } from '../session/page-session.ts'
import { getSubmission } from './get-submission.ts'

/**
 * Cancels a running credentials check: an account that is not stored yet never will be. Responds with the resulting state,
 * `connected` when the account was already stored. Requires a same-origin request of the submission's session.
 */
export async function cancelSubmission(
  deps: ConnectPageDeps,
  { linkId, attemptId }: { readonly linkId: LinkId; readonly attemptId: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = getSessionFromRequest(request, deps.baseUrl())
  const isTrusted = isSameOrigin(request, deps.baseUrl()) && isSubmissionId(attemptId)
  if (session !== undefined && isTrusted) {
    const row = await deps.submissions.find({ sessionHash: session.hash, linkId }, attemptId)
    if (row?.kind === 'credentials' && row.state === 'running')
      await deps.database.transaction((trx) =>
        deps.submissions.end(trx, { submissionId: attemptId }, { code: 'cancelled' }, deps.now()),
      )
  }
  return getSubmission(deps, { linkId, attemptId }, request, reply)
}
