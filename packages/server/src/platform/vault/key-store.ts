import { type Selectable, sql } from 'kysely'
import type { Database, Param, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { WorkspaceKeyRow } from '../storage/tables.ts'

/** A data key, wrapped by a key of the key ring. */
export interface WrappedDataKey {
  /** The key of the key ring that wraps it. */
  readonly keyId: string
  readonly wrapped: Uint8Array
}

/** The data key of a workspace. */
export interface StoredDataKeys extends WrappedDataKey {
  readonly workspaceId: Id<'wsp'>
  /** Counts the data keys of the workspace, from 1. */
  readonly number: number
  /** The data key before it, while values are being sealed again. */
  readonly previous: WrappedDataKey | null
  /** When it was stored like this, in epoch milliseconds; null for a new one. */
  readonly updatedAt: number | null
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
  /** The same, of every schema: without the keys of a change of data keys that has not finished. Searches the index once for each. */
  async function listCurrentKeyIds(): Promise<string[]> {
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
  }

  return {
    async find(workspaceId: Id<'wsp'>): Promise<StoredDataKeys | undefined> {
      const row = await preparedFind.first({ workspaceId })
      return row && toStoredDataKeys(row)
    },

    async insert(trx: Transaction, key: StoredDataKeys, now: number): Promise<void> {
      await trx
        .insertInto('workspace_keys')
        .values({ ...toRow(key), workspace_id: key.workspaceId, created_at: now, updated_at: now })
        .execute()
    },

    async delete(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void> {
      await trx.deleteFrom('workspace_keys').where('workspace_id', '=', workspaceId).execute()
    },

    /** The keys of the key ring that wrap data keys. */
    async listKeyIds(): Promise<string[]> {
      const ids = await listCurrentKeyIds()
      const unfinished = await database.read
        .selectFrom('workspace_keys')
        .select('previous_key_id')
        .distinct()
        .where('previous_key_id', 'is not', null)
        .execute()
      return [...new Set([...ids, ...unfinished.flatMap((row) => row.previous_key_id ?? [])])]
    },

    listCurrentKeyIds,

    /** Up to `limit` data keys that other keys wrap. */
    async listWrappedByOthers(
      trx: Transaction,
      keyId: string,
      limit: number,
    ): Promise<StoredDataKeys[]> {
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
      return [...before, ...after].map(toStoredDataKeys)
    },

    /** Up to `limit` workspaces whose values are being sealed again, after this one. */
    async listUnfinished(limit: number, after = ''): Promise<StoredDataKeys[]> {
      const rows = await database.read
        .selectFrom('workspace_keys')
        .selectAll()
        .where('previous_key_id', 'is not', null)
        .where('workspace_id', '>', after as Id<'wsp'>)
        .orderBy('workspace_id')
        .limit(limit)
        .execute()
      return rows.map(toStoredDataKeys)
    },

    /** Up to `limit` data keys, after this workspace. */
    async list(limit: number, after = ''): Promise<StoredDataKeys[]> {
      const rows = await database.read
        .selectFrom('workspace_keys')
        .selectAll()
        .where('workspace_id', '>', after as Id<'wsp'>)
        .orderBy('workspace_id')
        .limit(limit)
        .execute()
      return rows.map(toStoredDataKeys)
    },

    /** Replaces a data key, unless another process has just done so. */
    async replace(
      trx: Transaction,
      former: StoredDataKeys,
      next: StoredDataKeys,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('workspace_keys')
        .set({ ...toRow(next), updated_at: now })
        .where('workspace_id', '=', former.workspaceId)
        .where('wrapped_key', '=', former.wrapped)
        .execute()
    },

    async deleteCheck(trx: Transaction, keyId: string): Promise<void> {
      await trx.deleteFrom('key_checks').where('key_id', '=', keyId).execute()
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

function toStoredDataKeys(row: Selectable<WorkspaceKeyRow>): StoredDataKeys {
  const { previous_key_id: keyId, previous_wrapped_key: wrapped } = row
  return {
    workspaceId: row.workspace_id,
    number: row.data_key,
    keyId: row.key_id,
    wrapped: row.wrapped_key,
    previous: keyId === null || wrapped === null ? null : { keyId, wrapped },
    updatedAt: row.updated_at,
  }
}

function toRow({ number, keyId, wrapped, previous }: StoredDataKeys) {
  return {
    data_key: number,
    key_id: keyId,
    wrapped_key: wrapped,
    previous_key_id: previous?.keyId ?? null,
    previous_wrapped_key: previous?.wrapped ?? null,
  }
}

/** Reads a list of the store to its end, in batches. */
export async function* readBatches(
  list: (limit: number, after?: string) => Promise<StoredDataKeys[]>,
): AsyncGenerator<readonly StoredDataKeys[]> {
  let batch = await list(BATCH)
  while (batch.length > 0) {
    yield batch
    batch = await list(BATCH, batch.at(-1)?.workspaceId)
  }
}

const BATCH = 1_000

/** How many data keys a rotation has left; `MAX_OUTDATED` stands for any larger number. */
export interface OutdatedDataKeys {
  /** Wrapped by another key than the first of the key ring: `keys rotate` has not ended. */
  readonly otherKey: number
  /** Being replaced, while values are sealed again: `keys rekey` has not ended. */
  readonly beingReplaced: number
}

/** Returns a function that counts them. It reads `MAX_OUTDATED` entries of each index at most. */
export function createOutdatedKeyReader(
  database: Database,
  /** The first key of the key ring. */
  keyId: string,
): () => Promise<OutdatedDataKeys> {
  // Two ranges of the index: for an inequality, it would be read from its beginning.
  const range = (operator: '<' | '>') => sql`(select count(*) from (select 1 from workspace_keys
    where key_id ${sql.raw(operator)} ${keyId} limit ${sql.lit(MAX_OUTDATED)}) as ranged)`
  return async () => {
    const { rows } = await sql<{ other: number; replaced: number }>`
      select ${range('<')} + ${range('>')} as other,
        (select count(*) from (select 1 from workspace_keys
          where previous_key_id is not null limit ${sql.lit(MAX_OUTDATED)}) as unfinished) as replaced`.execute(
      database.read,
    )
    const [row] = rows
    return {
      otherKey: Math.min(MAX_OUTDATED, Number(row?.other ?? 0)),
      beingReplaced: Number(row?.replaced ?? 0),
    }
  }
}

/** The largest number that is counted. */
export const MAX_OUTDATED = 1_000
