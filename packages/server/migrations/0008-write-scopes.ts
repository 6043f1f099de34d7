import { type Kysely, sql } from 'kysely'

/**
 * Owner tokens, and the first token of each user, list the parts of `write` too. `write` stays, so that the previous
 * version still accepts them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update tokens set scopes = scopes || ${PARTS}
    where origin in ('owner', 'environment', 'user')
      and ' ' || scopes || ' ' like '% write %'
      and ' ' || scopes || ' ' not like '% links:write %'`.execute(db)
}

const PARTS = sql.lit(' links:write accounts:write definitions:write apps:write workspace:write')
