import { type Kysely, sql } from 'kysely'
import type { AuditChainRow, AuditEntryRow, Tables } from './tables.ts'

/** The columns of an entry of the audit trail as it is recorded, before it is chained. */
export const AUDIT_ENTRY_TYPES = {
  event_id: 'text',
  at: 'bigint',
  workspace_id: 'text',
  user_id: 'text',
  token_id: 'text',
  action: 'text',
  subject: 'text',
  detail: 'text',
  request_id: 'text',
  actor_kind: 'text',
  via: 'text',
  ip: 'text',
  outcome: 'text',
} as const satisfies Readonly<Record<keyof AuditEntryRow, 'text' | 'bigint'>>

export const AUDIT_ENTRY_COLUMNS = Object.keys(AUDIT_ENTRY_TYPES) as (keyof AuditEntryRow)[]

/** All entries of the audit trail, those included that are not chained yet. */
export function selectAuditEntries(db: Kysely<Tables>) {
  const chained = db.selectFrom('audit_events').select(AUDIT_ENTRY_COLUMNS)
  const waiting = db.selectFrom('audit_inbox').select(AUDIT_ENTRY_COLUMNS)
  return db.selectFrom(chained.unionAll(waiting).as('entries'))
}

/** The hash before the first entry of a chain: 32 zero bytes in base64url. */
export const INITIAL_HASH = Buffer.alloc(32).toString('base64url')

/** A chain without entries. */
export function createAuditChainRow(workspaceId: AuditChainRow['workspace_id'], now: number) {
  return {
    workspace_id: workspaceId,
    last: 0,
    last_hash: INITIAL_HASH,
    oldest: 1,
    base_hash: INITIAL_HASH,
    checkpoint_sequence: 0,
    checkpoint_at: now,
  }
}

/**
 * Locks a chain until the end of the transaction, with its entries in the inbox, which no one else then moves to it. Creates it
 * if it does not exist. Null: the chain of entries that belong to no workspace.
 */
export function lockAuditChain(
  trx: Kysely<Tables>,
  workspaceId: AuditEntryRow['workspace_id'],
): Promise<AuditChainRow> {
  return trx
    .insertInto('audit_chains')
    .values(createAuditChainRow(workspaceId ?? '', 0))
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ last: sql`audit_chains.last` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}
