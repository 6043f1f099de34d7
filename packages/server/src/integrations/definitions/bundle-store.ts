import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'

/** Stores bundles by their SHA-256. Content-addressed, so a bundle belongs to no workspace. */
export function createBundleStore(database: Database) {
  const code = async (sha256: string): Promise<Uint8Array | undefined> => {
    const row = await database.read
      .selectFrom('bundles')
      .select('code')
      .where('sha256', '=', sha256)
      .executeTakeFirst()
    return row !== undefined && hash('sha256', row.code) === sha256 ? row.code : undefined
  }
  return {
    /** The bytes with this digest; undefined if they are missing or damaged. */
    code,

    /** Stores the bytes unless they are already stored. */
    async save(trx: Kysely<Tables>, sha256: string, code: Uint8Array, now: number): Promise<void> {
      await trx
        .insertInto('bundles')
        .values({ sha256, code, size: code.byteLength, created_at: now })
        .onConflict((conflict) =>
          // The update locks the row on PostgreSQL, so that retention does not delete it before it is referenced.
          database.dialect === 'postgres'
            ? conflict.column('sha256').doUpdateSet({ size: code.byteLength })
            : conflict.column('sha256').doNothing(),
        )
        .execute()
    },

    /** The code with this digest, for the runner. @throws Error if it is missing or damaged */
    async load(sha256: string): Promise<string> {
      const bytes = await code(sha256)
      if (bytes === undefined) throw new Error(`bundle ${sha256} is missing or damaged`)
      return new TextDecoder().decode(bytes)
    },
  }
}

export type BundleStore = ReturnType<typeof createBundleStore>
