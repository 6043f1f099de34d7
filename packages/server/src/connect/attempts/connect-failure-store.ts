import { hash } from 'node:crypto'
import type { ConnectAttempt } from '../../platform/record/attempt.ts'
import { insertBoundedAttempt } from '../../platform/record/bounded-attempt-store.ts'
import type { AuditActor } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'

/** What `connect.failed` says of a failed attempt, besides what the list of attempts has. */
export interface FailureDetails {
  /** The name of the field that was rejected. */
  readonly field: string | null
  /** Distinguishes people, such as the hash of a page session. */
  readonly person: string | Uint8Array
}

/**
 * Records a failed attempt in the transaction that ends it, for the list of attempts, and as an event: at most one per
 * person and minute, and at most 16 per link and minute, because a visitor can pretend to be any number of people.
 */
export async function recordFailedAttempt(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  attempt: ConnectAttempt,
  { field, person }: FailureDetails,
): Promise<void> {
  const { workspaceId, definitionId, linkId, accountId, accountIdentifier, code } = attempt
  const { connectSessionId } = attempt
  await insertBoundedAttempt(trx, actor, now, attempt)
  const slot = (hash('sha256', person, 'buffer')[0] ?? 0) % SLOTS
  if (!(await claimSlot(trx, `${linkId ?? workspaceId} ${slot}`, now))) return
  const subject = linkId ?? accountId ?? connectSessionId ?? definitionId ?? workspaceId
  await record(trx, actor, now, {
    action: 'connect.failed',
    workspaceId,
    subject,
    detail: { code },
    outcome: 'refused',
    event: {
      type: 'connect.failed',
      subject,
      accountIdentifier,
      data: {
        code,
        field,
        linkId,
        connectSessionId,
        integrationDefinitionId: definitionId,
        integrationAccountId: accountId,
      },
    },
  })
}

/** Background work: deletes slots that limit nothing any more. */
export async function deleteOldConnectFailures({
  database,
  now,
}: {
  readonly database: Database
  readonly now: () => number
}): Promise<void> {
  const before = now() - SLOT_MS
  await database.transaction((trx) =>
    trx.deleteFrom('connect_failures').where('at', '<', before).execute(),
  )
}

/** Whether no failure was published in the slot during the last minute. */
async function claimSlot(trx: Transaction, key: string, now: number): Promise<boolean> {
  const claimed = await trx
    .insertInto('connect_failures')
    .values({ failure_key: key, at: now })
    .onConflict((conflict) =>
      conflict
        .column('failure_key')
        .doUpdateSet({ at: now })
        .where('connect_failures.at', '<=', now - SLOT_MS),
    )
    .returning('at')
    .executeTakeFirst()
  return claimed !== undefined
}

const SLOTS = 16
const SLOT_MS = 60_000
