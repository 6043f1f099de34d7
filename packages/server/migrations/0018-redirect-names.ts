import { type Kysely, sql } from 'kysely'

/** What a provider calls a redirect URI. Nodes of 0001 go on: their apps have none. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table oauth_apps add column redirect_name text').execute(db)
}
