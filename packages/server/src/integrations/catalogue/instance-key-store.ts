import type { Kysely } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'

/** A key pair of this installation, as it is stored. */
export interface SealedInstanceKey {
  readonly name: string
  /** Base64url. */
  readonly publicKey: string
  /** The private key as PKCS #8, sealed for the workspace of the catalogue. */
  readonly sealed: Uint8Array
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Stores the key pairs of this installation, which belong to no tenant. */
export function createInstanceKeyStore(database: Database) {
  return {
    async find(name: string): Promise<SealedInstanceKey | undefined> {
      const row = await database.read
        .selectFrom('instance_keys')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst()
      return (
        row && { name, publicKey: row.public_key, sealed: row.sealed, createdAt: row.created_at }
      )
    },

    /** Inserts a key pair unless another node has already done so. */
    async insert(trx: Kysely<Tables>, key: SealedInstanceKey): Promise<void> {
      await trx
        .insertInto('instance_keys')
        .values({
          name: key.name,
          public_key: key.publicKey,
          sealed: key.sealed,
          created_at: key.createdAt,
        })
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
