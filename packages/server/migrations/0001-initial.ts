import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** The first tables: users, tokens, definitions, accounts, links, keys and the audit trail. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const types = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await createUsers(db, types)
  await createWorkspaces(db, types)
  await createTokens(db, types)
  await createBundles(db, types)
  await createDefinitions(db, types)
  await createLinks(db, types)
  await createAccounts(db, types)
  await createKeys(db, types)
  await createAuditTrail(db, types)
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }

async function createUsers(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('user_id', text, (c) => c.primaryKey().notNull())
    .addColumn('email', text, (c) => c.notNull())
    .addColumn('email_key', text, (c) => c.notNull().unique())
    .addColumn('firstname', text, (c) => c.notNull())
    .addColumn('lastname', text, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .execute()
}

async function createWorkspaces(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('workspace_id', text, (c) => c.primaryKey().notNull())
    .addColumn('user_id', text, (c) => c.notNull().references('users.user_id'))
    .addColumn('slug', text, (c) => c.notNull())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('settings', text, (c) => c.notNull())
    .addColumn('initial_setup_complete', integer, (c) => c.notNull())
    .addColumn('anonymous_data_collection', integer, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addColumn('deleted_at', integer)
    .addUniqueConstraint('workspaces_user_id_slug', ['user_id', 'slug'])
    .execute()
}

async function createTokens(db: Kysely<unknown>, { text, integer, bytes }: Types): Promise<void> {
  await db.schema
    .createTable('tokens')
    .addColumn('token_id', text, (c) => c.primaryKey().notNull())
    .addColumn('token_hash', bytes, (c) => c.notNull().unique())
    .addColumn('user_id', text, (c) => c.notNull().references('users.user_id'))
    .addColumn('workspace_id', text, (c) => c.references('workspaces.workspace_id'))
    .addColumn('parent_token_id', text, (c) => c.references('tokens.token_id'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('scopes', text, (c) => c.notNull())
    .addColumn('origin', text, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer)
    .addColumn('revoked_at', integer)
    .addColumn('last_used_at', integer)
    .execute()
  await createIndex(db, 'tokens', ['user_id'])
  await createIndex(db, 'tokens', ['parent_token_id'])
}

async function createBundles(db: Kysely<unknown>, { text, integer, bytes }: Types): Promise<void> {
  await db.schema
    .createTable('bundles')
    .addColumn('sha256', text, (c) => c.primaryKey().notNull())
    .addColumn('code', bytes, (c) => c.notNull())
    .addColumn('size', integer, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute()
}

async function createDefinitions(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('definitions')
    .addColumn('definition_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('key', text, (c) => c.notNull())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('icon', text, (c) => c.notNull())
    .addColumn('version', text, (c) => c.notNull())
    .addColumn('release_stage', text, (c) => c.notNull())
    .addColumn('type_key', text, (c) => c.notNull())
    .addColumn('type_name', text, (c) => c.notNull())
    .addColumn('source_url', text, (c) => c.notNull())
    .addColumn('bundle_sha256', text, (c) => c.notNull().references('bundles.sha256'))
    .addColumn('spec', text, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addColumn('deleted_at', integer)
    .execute()
  await db.schema
    .createIndex('definitions_workspace_id_key')
    .unique()
    .on('definitions')
    .columns(['workspace_id', 'key'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute()
  await createIndex(db, 'definitions', ['workspace_id', 'created_at', 'definition_id'])
  await createIndex(db, 'definitions', ['bundle_sha256'])
}

async function createLinks(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('links')
    .addColumn('link_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('can_expire', integer, (c) => c.notNull())
    .addColumn('expires_in', integer, (c) => c.notNull())
    .addColumn('expires_at', integer)
    .addColumn('prefer_oauth', integer, (c) => c.notNull())
    .addColumn('category', text, (c) => c.notNull())
    .addColumn('definition_id', text, (c) => c.references('definitions.definition_id'))
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addColumn('revoked_at', integer)
    .execute()
  await createIndex(db, 'links', ['workspace_id', 'created_at', 'link_id'])
}

async function createAccounts(db: Kysely<unknown>, { text, integer, bytes }: Types): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('account_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('link_id', text, (c) => c.references('links.link_id'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('auth_type', text, (c) => c.notNull())
    .addColumn('account_identifier', text)
    .addColumn('public_config', text)
    .addColumn('sealed_config', bytes)
    .addColumn('credential_version', integer, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addColumn('deleted_at', integer)
    .execute()
  await createIndex(db, 'accounts', ['workspace_id', 'created_at', 'account_id'])
  await db.schema
    .createIndex('accounts_live')
    .on('accounts')
    .columns(['workspace_id', 'created_at', 'account_id'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute()
  await createIndex(db, 'accounts', ['definition_id'])
  await createIndex(db, 'accounts', ['link_id'])
}

async function createKeys(db: Kysely<unknown>, { text, integer, bytes }: Types): Promise<void> {
  await db.schema
    .createTable('workspace_keys')
    .addColumn('workspace_id', text, (c) =>
      c.primaryKey().notNull().references('workspaces.workspace_id'),
    )
    .addColumn('key_id', text, (c) => c.notNull())
    .addColumn('wrapped_key', bytes, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .execute()
  await createIndex(db, 'workspace_keys', ['key_id', 'workspace_id'])
  await db.schema
    .createTable('key_checks')
    .addColumn('key_id', text, (c) => c.primaryKey().notNull())
    .addColumn('sealed', bytes, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute()
}

async function createAuditTrail(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  // No foreign keys: the trail outlives what it tells of.
  await db.schema
    .createTable('audit_events')
    .addColumn('event_id', text, (c) => c.primaryKey().notNull())
    .addColumn('at', integer, (c) => c.notNull())
    .addColumn('workspace_id', text)
    .addColumn('user_id', text)
    .addColumn('token_id', text)
    .addColumn('action', text, (c) => c.notNull())
    .addColumn('subject', text)
    .addColumn('detail', text, (c) => c.notNull())
    .addColumn('request_id', text)
    .execute()
  await createIndex(db, 'audit_events', ['workspace_id', 'at'])
}

async function createIndex(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute()
}
