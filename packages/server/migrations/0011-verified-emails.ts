import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Users whose e-mail is verified. A table of its own: a column of `users` would end prepared statements of nodes of 0001, which go on. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const [text, time] = isPostgres ? ['text collate "C"', 'bigint'] : ['text', 'integer']
  await sql
    .raw(`create table verified_emails (
      user_id ${text} not null primary key references users (user_id),
      verified_at ${time} not null
    )`)
    .execute(db)
}
