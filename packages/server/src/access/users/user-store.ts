import type { Kysely } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import { CATALOGUE_USER_ID } from '../../platform/storage/id.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import { defineRowChecksum } from '../../platform/storage/row-checksum.ts'
import type { Tables, UserRow } from '../../platform/storage/tables.ts'
import type { User, UserId } from './user.ts'

/** Users, read by the user id of an access token. */
export function createUserStore(database: Database) {
  const preparedFind = database.prepare(
    (db, param: Param<{ id: UserId }>) =>
      db
        .selectFrom('users')
        .selectAll()
        .select(USER_CHECKSUM.column)
        .where('user_id', '=', param('id')),
    { id: 'text' },
  )
  return {
    async find(userId: UserId): Promise<User | undefined> {
      const row = await preparedFind.first({ id: userId })
      return row && toUser(USER_CHECKSUM.verify(row, { user_id: userId }))
    },

    async insert(trx: Kysely<Tables>, user: User): Promise<void> {
      const row = toUserRow(user)
      await trx.insertInto('users').values(row).execute()
      await USER_CHECKSUM.save(trx, row)
    },

    /** The first user: the owner of the instance. */
    async findOwner(db: Kysely<Tables>): Promise<User | undefined> {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .select(USER_CHECKSUM.column)
        .where('user_id', '!=', CATALOGUE_USER_ID)
        .orderBy('created_at')
        .orderBy('user_id')
        .limit(1)
        .executeTakeFirst()
      return row && toUser(USER_CHECKSUM.verify(row))
    },
  }
}

export type UserStore = ReturnType<typeof createUserStore>

function toUser(row: UserRow): User {
  return {
    userId: row.user_id,
    email: row.email,
    firstname: row.firstname,
    lastname: row.lastname,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Of all columns but the time of the last change. */
export const USER_CHECKSUM = defineRowChecksum({
  ...({ table: 'users', key: 'user_id', storedIn: 'user_checksums' } as const),
  columns: ['user_id', 'email', 'email_key', 'firstname', 'lastname', 'created_at'],
})

/** The row of a new user. */
export function toUserRow(user: User): UserRow {
  return {
    user_id: user.userId,
    email: user.email,
    email_key: user.email.toLowerCase(),
    firstname: user.firstname,
    lastname: user.lastname,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  }
}
