import { type Kysely, sql } from 'kysely'

/** The scopes that a connect session requests. Nodes of 0001 go on: they request those of the OAuth app. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table connect_sessions add column scopes text').execute(db)
}
