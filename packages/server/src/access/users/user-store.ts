import type { Kysely } from 'kysely'
import type { Database, Param } from '../../platform/storage/database.ts'
import { CATALOGUE_USER_ID } from '../../platform/storage/id.ts'
import type { Tables, UserRow } from '../../platform/storage/tables.ts'
import type { User, UserId } from './user.ts'

/** Users, read by the user id of an access token. */
export function createUserStore(database: Database) {
  const preparedFind = database.prepare(
    (db, param: Param<{ id: UserId }>) =>
      db.selectFrom('users').selectAll().where('user_id', '=', param('id')),
    { id: 'text' },
  )
  return {
    async find(userId: UserId): Promise<User | undefined> {
      const row = await preparedFind.first({ id: userId })
      return row && toUser(row)
    },

    async insert(trx: Kysely<Tables>, user: User): Promise<void> {
      await trx.insertInto('users').values(toUserRow(user)).execute()
    },

    async findByEmail(db: Kysely<Tables>, email: string): Promise<User | undefined> {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where('email_key', '=', email.toLowerCase())
        .executeTakeFirst()
      return row && toUser(row)
    },

    /** The first user: the owner of the instance. */
    async findOwner(db: Kysely<Tables>): Promise<User | undefined> {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where('user_id', '!=', CATALOGUE_USER_ID)
        .orderBy('created_at')
        .orderBy('user_id')
        .limit(1)
        .executeTakeFirst()
      return row && toUser(row)
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
