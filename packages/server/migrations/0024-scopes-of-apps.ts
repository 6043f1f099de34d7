import { type Kysely, sql } from 'kysely'

/** How scopes of OAuth apps are combined with those of specs. Nodes of 0001 go on: they add them, and request no optional ones. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table oauth_apps add column scopes_mode text').execute(db)
  await sql.raw('alter table oauth_apps add column optional_scopes text').execute(db)
}
