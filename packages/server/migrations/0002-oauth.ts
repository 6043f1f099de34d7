import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** OAuth: apps of operators, attempts to connect, and what accounts need to keep their tokens fresh. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const types = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await createOAuthApps(db, types)
  await extendAccounts(db, types)
  await createOAuthAttempts(db, types)
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }

async function createOAuthApps(
  db: Kysely<unknown>,
  { text, integer, bytes }: Types,
): Promise<void> {
  await db.schema
    .createTable('oauth_apps')
    .addColumn('oauth_app_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('client_id', text, (c) => c.notNull())
    .addColumn('sealed_secret', bytes)
    .addColumn('scopes', text, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addUniqueConstraint('oauth_apps_workspace_id_definition_id', ['workspace_id', 'definition_id'])
    .execute()
}

async function extendAccounts(db: Kysely<unknown>, { text, integer, bytes }: Types): Promise<void> {
  const add = (name: string, type: RawBuilder<unknown>) =>
    db.schema.alterTable('accounts').addColumn(name, type).execute()
  await db.schema
    .alterTable('accounts')
    .addColumn('status', text, (c) => c.notNull().defaultTo('active'))
    .execute()
  await add('status_reason', text)
  await add('oauth_app_id', text)
  await add('token_expires_at', integer)
  await add('renew_at', integer)
  await db.schema
    .alterTable('accounts')
    .addColumn('renew_failures', integer, (c) => c.notNull().defaultTo(0))
    .execute()
  await add('lease_owner', text)
  await add('lease_until', integer)
  await add('renewal_sent_at', integer)
  await add('identity_id', text)
  await add('confirm_hash', bytes)
  await add('confirm_until', integer)
  await db.schema
    .createIndex('accounts_renew_at')
    .on('accounts')
    .column('renew_at')
    .where(sql.ref('renew_at'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('accounts_confirm_hash')
    .unique()
    .on('accounts')
    .column('confirm_hash')
    .execute()
}

async function createOAuthAttempts(
  db: Kysely<unknown>,
  { text, integer, bytes }: Types,
): Promise<void> {
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
    .addColumn('token_id', text, (c) => c.notNull())
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
  await db.schema
    .createIndex('oauth_attempts_expires_at')
    .on('oauth_attempts')
    .column('expires_at')
    .execute()
}
