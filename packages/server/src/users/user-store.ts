import type { Kysely } from 'kysely'
import { CATALOGUE_USER_ID } from '../storage/catalogue-owner.ts'
import type { Database } from '../storage/database.ts'
import type { Tables, UserRow } from '../storage/tables.ts'

/** Users, read by the user id of an access token. */
export function createUserStore(database: Database) {
  return {
    find: (userId: string): Promise<UserRow | undefined> =>
      database.read
        .selectFrom('users')
        .selectAll()
        .where('user_id', '=', userId)
        .executeTakeFirst(),

    async insert(trx: Kysely<Tables>, row: UserRow): Promise<void> {
      await trx.insertInto('users').values(row).execute()
    },

    /** The first user: the owner of the instance. */
    findOwner: (db: Kysely<Tables>): Promise<UserRow | undefined> =>
      db
        .selectFrom('users')
        .selectAll()
        .where('user_id', '!=', CATALOGUE_USER_ID)
        .orderBy('created_at')
        .orderBy('user_id')
        .limit(1)
        .executeTakeFirst(),
  }
}

export type UserStore = ReturnType<typeof createUserStore>
