import { type Kysely, sql } from 'kysely'

/** Which client asks a person to sign in. Nodes of 0001 go on: the pages of these requests are not known to them. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table sign_in_requests add column client_name text').execute(db)
}
