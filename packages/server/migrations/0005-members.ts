import { type Kysely, sql } from 'kysely'

/** Finds invitations by their secret, and when a member was last seen. Nodes of 0001 go on: no column changes. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create unique index members_by_invitation on members (invitation_hash)
    where invitation_hash is not null`,
  'create index console_sessions_last_seen on console_sessions (user_id, workspace_id, last_seen_at)',
]
