import type { Kysely } from 'kysely'
import { type Id, newId } from '../storage/id.ts'
import type { Tables } from '../storage/tables.ts'

/** The actions that the audit trail records. */
export type AuditAction =
  | 'account.created'
  | 'account.change_requested'
  | 'account.updated'
  | 'account.deleted'
  | 'account.credentials_read'
  | 'account.confirmed'
  | 'account.error'
  | 'account.needs_reauth'
  | 'account.recovered'
  | 'account.reconnected'
  | 'account.unconfirmed'
  | 'definition.created'
  | 'definition.deleted'
  | 'definition.upgraded'
  | 'definition.rolled_back'
  | 'definition.previewed'
  | 'definition.bundle_changed'
  | 'link.created'
  | 'link.revoked'
  | 'oauth_app.created'
  | 'oauth_app.updated'
  | 'oauth_app.deleted'
  | 'oauth_app.tested'
  | 'oauth_app.secret_withheld'
  | 'token.created'
  | 'token.revoked'
  | 'user.created'
  | 'workspace.created'
  | 'workspace.updated'

/** An audit event. `detail` never contains secrets. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly workspaceId: Id<'wsp'> | null
  readonly subject: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The actor of an event. */
export interface Actor {
  readonly userId: Id<'usr'>
  readonly tokenId: Id<'tok'> | null
  readonly requestId: string
}

/** The actor of events that no request causes, such as expiry. */
export const SYSTEM_ACTOR = { userId: '', tokenId: '', requestId: '' } as const

/** The actor that an event is attributed to. */
export type AuditActor = Actor | typeof SYSTEM_ACTOR

/** Writes an event in the transaction of the change, so that neither is stored without the other. */
export async function recordAudit(
  trx: Kysely<Tables>,
  actor: AuditActor,
  now: number,
  event: AuditEvent,
): Promise<void> {
  await trx
    .insertInto('audit_events')
    .values({
      event_id: newId('aud', now),
      at: now,
      workspace_id: event.workspaceId,
      user_id: actor.userId,
      token_id: actor.tokenId,
      action: event.action,
      subject: event.subject,
      detail: JSON.stringify(event.detail ?? {}),
      request_id: actor.requestId,
    })
    .execute()
}

/** Whether the same event, by the same actor and with the same detail, was recorded after `since`, in epoch milliseconds. */
export async function isRecordedSince(
  trx: Kysely<Tables>,
  { userId }: Pick<AuditActor, 'userId'>,
  since: number,
  { action, workspaceId, subject, detail = {} }: AuditEvent,
): Promise<boolean> {
  const earlier = await trx
    .selectFrom('audit_events')
    .select('event_id')
    .where('workspace_id', '=', workspaceId)
    .where('action', '=', action)
    .where('subject', '=', subject)
    .where('user_id', '=', userId)
    .where('detail', '=', JSON.stringify(detail))
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return earlier !== undefined
}
