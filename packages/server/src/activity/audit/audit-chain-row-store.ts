import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { AuditChainRow } from '../../platform/storage/tables.ts'
import { INITIAL_HASH } from './hash-entry.ts'

/** The workspace of a chain; null for entries that belong to none. */
export type ChainId = WorkspaceId | null

/** Creates the chain if it does not exist, and locks it until the end of the transaction. */
export function lockChain(trx: Transaction, chainId: ChainId, now: number): Promise<AuditChainRow> {
  return trx
    .insertInto('audit_chains')
    .values({
      workspace_id: chainId ?? '',
      last: 0,
      last_hash: INITIAL_HASH,
      oldest: 1,
      base_hash: INITIAL_HASH,
      checkpoint_sequence: 0,
      checkpoint_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ last: sql`audit_chains.last` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Limits a query to the entries of a chain. */
export function ofChain(chainId: ChainId) {
  return sql<boolean>`audit_events.workspace_id ${chainId === null ? sql`is null` : sql`= ${chainId}`}`
}
