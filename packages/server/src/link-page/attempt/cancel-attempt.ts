import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../page/same-origin.ts'
import { isAttemptId } from '../address/page-query.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { askingVisit } from '../visit/visit.ts'
import { answerAttempt } from './answer-attempt.ts'
import { endVisitAttempt } from './end-visit-attempt.ts'

/**
 * Takes back keys that are being checked: what was not stored by now never will be. Answers how the attempt stands then;
 * it is `connected` when the account was stored before. Only for a page of ours, and the visit that the attempt belongs to.
 */
export async function cancelAttempt(
  deps: LinkPageDeps,
  { linkId, attemptId }: { readonly linkId: string; readonly attemptId: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asking = askingVisit(request, deps.baseUrl())
  const isOurs = isSameOrigin(request, deps.baseUrl()) && isAttemptId(attemptId)
  if (asking !== undefined && isOurs) {
    const row = await deps.visitAttempts.find({ visitHash: asking.hash, linkId }, attemptId)
    if (row?.kind === 'credentials' && row.state === 'running')
      await deps.database.transaction((trx) =>
        endVisitAttempt(deps.visitAttempts, trx, { attemptId }, { code: 'cancelled' }, deps.now()),
      )
  }
  return answerAttempt(deps, { linkId, attemptId }, request, reply)
}
