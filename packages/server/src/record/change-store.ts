import type { ExpressionBuilder, Kysely } from 'kysely'
import { type Id, newId } from '../storage/id.ts'
import type { Tables } from '../storage/tables.ts'
import type { Cause, ChangedAccount, EventDraft } from './change.ts'

/** What both kinds of rows have. */
interface Occurrence {
  readonly workspaceId: Id<'wsp'>
  /** Epoch milliseconds. */
  readonly at: number
  readonly cause: Cause
}

/** Stores an event without its sequence number, which it gets after the commit. */
export async function insertEvent(
  trx: Kysely<Tables>,
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
      data: JSON.stringify(data),
      sequence: null,
    })
    .execute()
}

/** Stores an entry of an account's history, of which the last 200 are retained. */
export async function insertAccountChange(
  trx: Kysely<Tables>,
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
        .offset(MAX_CHANGES),
    )
    .execute()
}

/** Per account. */
const MAX_CHANGES = 200
