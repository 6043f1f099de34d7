import type { FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import { isAttemptId } from '../address/page-query.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { messageAccount } from '../view/connected.ts'
import { askingVisit } from '../visit/visit.ts'
import { attemptState } from './attempt-state.ts'

/** How an attempt stands, as the page's script asks: only to the visit that it belongs to. */
export async function answerAttempt(
  deps: LinkPageDeps,
  { linkId, attemptId }: { readonly linkId: string; readonly attemptId: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply
    .header('cache-control', 'no-store')
    .header('cross-origin-resource-policy', 'same-origin')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
  const asking = askingVisit(request, deps.baseUrl())
  if (asking === undefined || !isId('lnk', linkId) || !isAttemptId(attemptId))
    return reply.code(404).send({ state: 'unknown' })
  const visit = { visitHash: asking.hash, linkId }
  const row = await deps.visitAttempts.find(visit, attemptId)
  if (row === undefined) return reply.code(404).send({ state: 'unknown' })
  const now = attemptState(row, deps.now())
  if (now.state === 'running') return reply.send({ state: 'running' })
  if (now.state === 'failed') return reply.send({ state: 'failed', code: now.code })
  const account = await deps.visitAttempts.account(visit, attemptId)
  return reply.send({
    state: 'connected',
    ...(account === undefined
      ? {}
      : { account: messageAccount({ link: { link_id: linkId } }, account) }),
  })
}
