import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { WorkspaceKeyRow } from '../storage/tables.ts'

/** The data key of a workspace, wrapped by a key of the key ring. */
export interface WrappedDataKey {
  readonly workspaceId: Id<'wsp'>
  /** The key of the key ring that wraps it. */
  readonly keyId: string
  readonly wrapped: Uint8Array
}

/** A known text, sealed with a key of the key ring, to detect a wrong key at start. */
export interface KeyCheck {
  readonly keyId: string
  readonly sealed: Uint8Array
}

/** Stores the data keys of workspaces, and a check value for each key of the key ring. */
export function createKeyStore(database: Database) {
  const preparedFind = database.prepare((db, param: Param<{ workspaceId: Id<'wsp'> }>) =>
    db.selectFrom('workspace_keys').selectAll().where('workspace_id', '=', param('workspaceId')),
  )
  return {
    async find(workspaceId: Id<'wsp'>): Promise<WrappedDataKey | undefined> {
      const row = await preparedFind.first({ workspaceId })
      return row && toWrappedDataKey(row)
    },

    async insert(trx: Transaction, key: WrappedDataKey, now: number): Promise<void> {
      await trx
        .insertInto('workspace_keys')
        .values({
          workspace_id: key.workspaceId,
          key_id: key.keyId,
          wrapped_key: key.wrapped,
          created_at: now,
          updated_at: now,
        })
        .execute()
    },

    async delete(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void> {
      await trx.deleteFrom('workspace_keys').where('workspace_id', '=', workspaceId).execute()
    },

    /** The keys of the key ring that wrap data keys. Searches the index once for each of them. */
    async listKeyIds(): Promise<string[]> {
      const ids: string[] = []
      for (;;) {
        const row = await database.read
          .selectFrom('workspace_keys')
          .select('key_id')
          .where('key_id', '>', ids.at(-1) ?? '')
          .orderBy('key_id')
          .limit(1)
          .executeTakeFirst()
        if (row === undefined) return ids
        ids.push(row.key_id)
      }
    },

    /** Up to `limit` data keys that other keys wrap. */
    async listWrappedByOthers(
      trx: Transaction,
      keyId: string,
      limit: number,
    ): Promise<WrappedDataKey[]> {
      // Two ranges of the index: for an inequality, it would be read from its beginning by each batch.
      const select = (operator: '<' | '>', count: number) =>
        trx
          .selectFrom('workspace_keys')
          .selectAll()
          .where('key_id', operator, keyId)
          .orderBy('key_id')
          .orderBy('workspace_id')
          .limit(count)
          .execute()
      const before = await select('<', limit)
      const after = before.length < limit ? await select('>', limit - before.length) : []
      return [...before, ...after].map(toWrappedDataKey)
    },

    /** Replaces a wrapped data key, unless another process has just done so. */
    async replace(
      trx: Transaction,
      previous: WrappedDataKey,
      { keyId, wrapped }: WrappedDataKey,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('workspace_keys')
        .set({ key_id: keyId, wrapped_key: wrapped, updated_at: now })
        .where('workspace_id', '=', previous.workspaceId)
        .where('key_id', '=', previous.keyId)
        .execute()
    },

    async listChecks(keyIds: readonly string[]): Promise<KeyCheck[]> {
      const rows = await database.read
        .selectFrom('key_checks')
        .select(['key_id', 'sealed'])
        .where('key_id', 'in', keyIds)
        .execute()
      return rows.map((row) => ({ keyId: row.key_id, sealed: row.sealed }))
    },

    /** Inserts check values. Stored values are unchanged. */
    async insertChecks(checks: readonly KeyCheck[], now: number): Promise<void> {
      const rows = checks.map(({ keyId, sealed }) => ({ key_id: keyId, sealed, created_at: now }))
      await database.transaction((trx) =>
        trx
          .insertInto('key_checks')
          .values(rows)
          .onConflict((conflict) => conflict.column('key_id').doNothing())
          .execute(),
      )
    },
  }
}

export type KeyStore = ReturnType<typeof createKeyStore>

function toWrappedDataKey(row: WorkspaceKeyRow): WrappedDataKey {
  return { workspaceId: row.workspace_id, keyId: row.key_id, wrapped: row.wrapped_key }
}
