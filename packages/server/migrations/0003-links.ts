import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Links grow up: limits and counters, and the tries of people on the connect page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const types = isPostgres ? POSTGRES : SQLITE
  await extendLinks(db, types)
  await createLinkCounters(db, types)
  await createVisitAttempts(db, types)
  // A person on the connect page has no token.
  if (isPostgres)
    await sql`alter table oauth_attempts alter column token_id drop not null`.execute(db)
  else await replaceOAuthAttempts(db, types)
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }

async function extendLinks(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  const add = (name: string, type: RawBuilder<unknown>) =>
    db.schema.alterTable('links').addColumn(name, type).execute()
  const addList = (name: string) =>
    db.schema
      .alterTable('links')
      .addColumn(name, text, (c) => c.notNull().defaultTo('[]'))
      .execute()
  await add('max_accounts', integer)
  await add('max_accounts_per_identifier', integer)
  await addList('allowed_origins')
  await addList('redirect_urls')
}

async function createLinkCounters(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('link_counters')
    .addColumn('link_id', text, (c) => c.notNull().references('links.link_id'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('count', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('link_counters_pkey', ['link_id', 'name'])
    .execute()
}

async function createVisitAttempts(
  db: Kysely<unknown>,
  { text, integer, bytes }: Types,
): Promise<void> {
  await db.schema
    .createTable('visit_attempts')
    .addColumn('attempt_id', text, (c) => c.primaryKey().notNull())
    .addColumn('visit_hash', bytes, (c) => c.notNull())
    .addColumn('link_id', text, (c) => c.notNull().references('links.link_id'))
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('auth_type', text, (c) => c.notNull())
    .addColumn('kind', text, (c) => c.notNull())
    .addColumn('oauth_attempt_id', text, (c) => c.unique())
    .addColumn('window', text, (c) => c.notNull())
    .addColumn('return_query', text, (c) => c.notNull())
    .addColumn('state', text, (c) => c.notNull())
    .addColumn('code', text)
    .addColumn('field', text)
    .addColumn('hint', text)
    .addColumn('account_id', text)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('finished_at', integer)
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
  await createIndex(db, 'visit_attempts', ['visit_hash', 'link_id'])
  await createIndex(db, 'visit_attempts', ['expires_at'])
}

/** SQLite cannot make a column nullable: the table is made anew around its rows. */
async function replaceOAuthAttempts(
  db: Kysely<unknown>,
  { text, integer, bytes }: Types,
): Promise<void> {
  await db.schema.dropIndex('oauth_attempts_expires_at').execute()
  await sql`alter table oauth_attempts rename to oauth_attempts_before`.execute(db)
  await db.schema
    .createTable('oauth_attempts')
    .addColumn('attempt_id', text, (c) => c.primaryKey().notNull())
    .addColumn('page_hash', bytes, (c) => c.unique())
    .addColumn('state_hash', bytes, (c) => c.unique())
    .addColumn('browser_hash', bytes)
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('oauth_app_id', text, (c) => c.notNull())
    .addColumn('link_id', text)
    .addColumn('account_id', text)
    .addColumn('user_id', text, (c) => c.notNull())
    .addColumn('token_id', text)
    .addColumn('auth_type', text, (c) => c.notNull())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('account_identifier', text)
    .addColumn('sealed', bytes)
    .addColumn('redirect_url', text)
    .addColumn('needs_confirm', integer, (c) => c.notNull())
    .addColumn('allow_other_identity', integer, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addColumn('claimed_at', integer)
    .addColumn('finished_at', integer)
    .addColumn('outcome', text)
    .execute()
  await sql`insert into oauth_attempts select * from oauth_attempts_before`.execute(db)
  await db.schema.dropTable('oauth_attempts_before').execute()
  await createIndex(db, 'oauth_attempts', ['expires_at'])
}

async function createIndex(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute()
}
