import type { AuditActor, Change } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'
import { readAccountSnapshot } from './account-row-store.ts'
import { describeAccountChange, serializeAccount } from './schemas/account.ts'

/** A change of an account. */
export interface AccountChangeRecord extends Pick<Change, 'action' | 'detail'> {
  readonly accountId: AccountId
  /** The event to publish; absent for changes that are not published. */
  readonly type?: EventType | undefined
  /** What the event says beside the account. */
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Records a change of an account in its transaction, after the change: with the account as it is now, without its
 * configuration.
 */
export async function recordAccountChange(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  { action, accountId, detail, type, data }: AccountChangeRecord,
): Promise<void> {
  const account = serializeAccount(await readAccountSnapshot(trx, accountId))
  await record(trx, actor, now, {
    action,
    ...(detail === undefined ? {} : { detail }),
    ...describeAccountChange(account, type, data),
    response: account,
  })
}
