import { sql } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'

/** A migration that the database has, and when it ran (ISO 8601). */
export interface AppliedMigration {
  readonly name: string
  readonly appliedAt: string
}

/** How many workspaces have data keys that a key of the key ring wraps. */
export interface KeyUse {
  readonly keyId: string
  readonly workspaces: number
}

export type InstanceStore = ReturnType<typeof createInstanceStore>

/** What all workspaces of the instance share. For its administrators. */
export function createInstanceStore(database: Database) {
  return {
    /** Oldest first. */
    async listMigrations(): Promise<AppliedMigration[]> {
      const { rows } = await sql<{
        name: string
        timestamp: string
      }>`select name, timestamp from kysely_migration order by name`.execute(database.read)
      return rows.map(({ name, timestamp }) => ({ name, appliedAt: timestamp }))
    },

    /** Reads an entry of an index for each workspace. */
    async listKeyUse(): Promise<KeyUse[]> {
      const rows = await database.read
        .selectFrom('workspace_keys')
        .select((eb) => ['key_id', eb.fn.countAll<number>().as('workspaces')])
        .groupBy('key_id')
        .orderBy('key_id')
        .execute()
      return rows.map(({ key_id, workspaces }) => ({
        keyId: key_id,
        workspaces: Number(workspaces),
      }))
    },
  }
}
