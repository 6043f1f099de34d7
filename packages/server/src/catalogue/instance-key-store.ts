import type { Kysely } from 'kysely'
import { CATALOGUE_WORKSPACE_ID } from '../storage/catalogue-owner.ts'
import type { Database } from '../storage/database.ts'
import type { InstanceKeyRow, Tables } from '../storage/tables.ts'

/** Stores the key pairs of this installation, which belong to no tenant. */
export function createInstanceKeyStore(database: Database) {
  return {
    find(name: string): Promise<InstanceKeyRow | undefined> {
      return database.read
        .selectFrom('instance_keys')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst()
    },

    /** Inserts a key pair unless another node has already done so. */
    async insert(trx: Kysely<Tables>, row: InstanceKeyRow): Promise<void> {
      await trx
        .insertInto('instance_keys')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Whether the workspace that owns shared definitions has a data key. */
    async hasDataKey(): Promise<boolean> {
      const row = await database.read
        .selectFrom('workspace_keys')
        .select('workspace_id')
        .where('workspace_id', '=', CATALOGUE_WORKSPACE_ID)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
