import type { ExpressionBuilder, Kysely } from 'kysely'
import { shortenCapabilities } from '../http/shorten-capabilities.ts'
import type { Transaction } from '../storage/database.ts'
import { type Id, newId } from '../storage/id.ts'
import type { Tables } from '../storage/tables.ts'
import type { ConnectAttempt } from './attempt.ts'
import {
  type AuditActor,
  type AuditEvent,
  type Cause,
  type Change,
  type ChangedAccount,
  type EventDraft,
  MAX_ACCOUNT_CHANGES,
  SYSTEM_ACTOR,
} from './change.ts'
import { settleIdempotencyKey } from './idempotency-key-store.ts'
import { stringifyEventData } from './stringify-event-data.ts'

/**
 * Records a change in its transaction, so that none is stored without the other: the entry of the audit trail, the event
 * that is published, the entry of the account's history, the attempt to connect that succeeded, and the settlement of the
 * request's idempotency key. Call it
 * after the change, whose row lock then orders events of one resource.
 *
 * @throws ApiError `idempotency_in_progress`: another request has taken over the key
 */
export async function record(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  change: Change,
): Promise<void> {
  await insertAuditEvent(trx, actor, now, change)
  await settleKey(trx, actor, change)
  const { workspaceId, event, account, action, attempt } = change
  if (attempt !== undefined) await insertAttempt(trx, actor, now, attempt)
  if (workspaceId === null) return
  if ('addLogFields' in actor) actor.addLogFields?.({ workspaceId })
  const cause = getCause(actor)
  if (account !== undefined)
    await insertAccountChange(trx, { workspaceId, at: now, action, cause, ...account })
  if (event !== undefined) await insertEvent(trx, { workspaceId, at: now, cause, ...event })
}

async function settleKey(
  trx: Transaction,
  actor: AuditActor,
  { workspaceId, subject: resource, response }: Change,
): Promise<void> {
  const claim = 'idempotencyClaim' in actor ? actor.idempotencyClaim : undefined
  if (claim === undefined || response === undefined) return
  await settleIdempotencyKey(trx, claim, { workspaceId, resource, response })
}

function getCause({ tokenId, requestId, kind, via }: AuditActor): Cause {
  const hasToken = tokenId !== null
  return {
    kind: kind ?? (hasToken ? 'token' : 'person'),
    via: via ?? (hasToken ? 'api' : 'page'),
    requestId,
  }
}

async function insertAuditEvent(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  event: AuditEvent,
): Promise<void> {
  const { kind, via } = getCause(actor)
  await trx
    .insertInto('audit_events')
    .values({
      event_id: newId('aud', now),
      at: now,
      workspace_id: event.workspaceId,
      user_id: actor.userId,
      token_id: actor.tokenId,
      action: event.action,
      // The audit trail is retained for ever, and read by people who may not use what it mentions.
      subject: shortenCapabilities(event.subject),
      detail: shortenCapabilities(JSON.stringify(event.detail ?? {})),
      request_id: actor.requestId || null,
      actor_kind: kind,
      via,
      ip: actor.ip ?? null,
      outcome: event.outcome ?? 'done',
    })
    .execute()
}

/** Stores how an attempt to connect ended. Attempts that anyone can repeat go through `insertBoundedAttempt`. */
export async function insertAttempt(
  db: Kysely<Tables>,
  { requestId }: Pick<AuditActor, 'requestId'>,
  at: number,
  attempt: ConnectAttempt,
): Promise<void> {
  await db
    .insertInto('connect_attempts')
    .values({
      attempt_id: newId('cna', at),
      at,
      request_id: requestId || null,
      workspace_id: attempt.workspaceId,
      definition_id: attempt.definitionId,
      auth_type: attempt.authType,
      via: attempt.via,
      outcome: attempt.outcome,
      code: attempt.code,
      provider_status: attempt.providerStatus,
      provider_request_id: attempt.providerRequestId ?? null,
      account_id: attempt.accountId,
      link_id: attempt.linkId,
      connect_session_id: attempt.connectSessionId,
      account_identifier: attempt.accountIdentifier,
    })
    .execute()
}

/** Where a person without a token tried to connect. */
export function getPageOrigin(connectSessionId: Id<'cns'> | null): ConnectAttempt['via'] {
  return connectSessionId === null ? 'link' : 'connect_session'
}

/** Publishes an event that tells of no change, in a transaction. */
export async function recordEvent(
  trx: Transaction,
  now: number,
  workspaceId: Id<'wsp'>,
  event: EventDraft,
): Promise<void> {
  await insertEvent(trx, { workspaceId, at: now, cause: getCause(SYSTEM_ACTOR), ...event })
}

/** What both kinds of rows have. */
interface Occurrence {
  readonly workspaceId: Id<'wsp'>
  /** Epoch milliseconds. */
  readonly at: number
  readonly cause: Cause
}

/** Stores an event without its sequence number, which it gets after the commit. */
async function insertEvent(
  trx: Transaction,
  { workspaceId, at, cause, type, subject, accountIdentifier, data }: Occurrence & EventDraft,
): Promise<void> {
  await trx
    .insertInto('events')
    .values({
      workspace_id: workspaceId,
      event_id: newId('evt', at),
      type,
      version: 1,
      at,
      subject,
      account_identifier: accountIdentifier ?? null,
      cause: JSON.stringify(cause),
      data: stringifyEventData(data),
      sequence: null,
    })
    .execute()
}

/** Stores an entry of an account's history, of which the last 200 are retained. */
async function insertAccountChange(
  trx: Transaction,
  change: Occurrence & ChangedAccount & { readonly action: string },
): Promise<void> {
  await trx
    .insertInto('account_changes')
    .values({
      workspace_id: change.workspaceId,
      account_id: change.accountId,
      change_id: newId('chg', change.at),
      at: change.at,
      action: change.action,
      status: change.status,
      reason: change.statusReason,
      cause: JSON.stringify(change.cause),
    })
    .execute()
  // A new account has no older ones, and on PostgreSQL looking for them would make concurrent creations conflict.
  if (change.action === 'account.created') return
  const ofAccount = (eb: ExpressionBuilder<Tables, 'account_changes'>) =>
    eb.and({ workspace_id: change.workspaceId, account_id: change.accountId })
  await trx
    .deleteFrom('account_changes')
    .where(ofAccount)
    .where('change_id', '<=', (eb) =>
      eb
        .selectFrom('account_changes')
        .select('change_id')
        .where(ofAccount)
        .orderBy('change_id', 'desc')
        .limit(1)
        .offset(MAX_ACCOUNT_CHANGES),
    )
    .execute()
}
