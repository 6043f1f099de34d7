import { type AuditActor, recordAudit, SYSTEM_ACTOR } from '../audit/audit-store.ts'
import type { Transaction } from '../storage/database.ts'
import type { Cause, Change } from './change.ts'
import { insertAccountChange, insertEvent } from './change-store.ts'

/**
 * Records a change in its transaction, so that none is stored without the other: the entry of the audit trail, the event
 * that is published, and the entry of the account's history. Call it after the change, whose row lock then orders
 * events of one resource.
 */
export async function record(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  change: Change,
): Promise<void> {
  await recordAudit(trx, actor, now, change)
  const { workspaceId, event, account, action } = change
  if (workspaceId === null) return
  const cause = getCause(actor)
  if (account !== undefined)
    await insertAccountChange(trx, { workspaceId, at: now, action, cause, ...account })
  if (event !== undefined) await insertEvent(trx, { workspaceId, at: now, cause, ...event })
}

function getCause(actor: AuditActor): Cause {
  if (actor === SYSTEM_ACTOR) return { kind: 'system', via: 'background', requestId: null }
  const { tokenId, requestId } = actor
  return tokenId === null
    ? { kind: 'person', via: 'page', requestId }
    : { kind: 'token', via: 'api', requestId }
}
