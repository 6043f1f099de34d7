import { type Kysely, sql } from 'kysely'

/** Which client a person has signed in with. Nodes of 0001 go on: to them, all sessions are of tokens. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['client_id', 'client_name'])
    await sql.raw(`alter table agent_sessions add column ${column} text`).execute(db)
}
