import { type Kysely, PostgresAdapter, sql } from 'kysely'
import { createEpochTriggers } from './0020-definition-epochs.ts'

/**
 * Several OAuth apps of a workspace for one definition. Nodes of 0001 go on: what they insert is a default app, and of two apps
 * they take any.
 */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
  // A table that is dropped takes its triggers along.
  if (!isPostgres) await createEpochTriggers(db, 'oauth_apps')
  // Within the transaction: no table is smaller, and two apps must not come in between.
  for (const statement of INDEXES) await sql.raw(statement).execute(db)
}

const ADDED = [
  ['is_default', 'integer not null default 1'],
  ['account_identifier', 'text'],
  ['successor_id', 'text'],
  ['kind', "text not null default 'registered'"],
  ['issuer', 'text'],
  ['server_metadata', 'text'],
] as const

const toPostgres = (type: string) =>
  type.replace('integer', 'bigint').replace('text', 'text collate "C"')

const POSTGRES = [
  `alter table oauth_apps drop constraint oauth_apps_workspace_id_definition_id,
    ${ADDED.map(([name, type]) => `add column ${name} ${toPostgres(type)}`).join(', ')}`,
]

const COLUMNS = `oauth_app_id, workspace_id, definition_id, name, client_id, sealed_secret, scopes, created_at, updated_at,
  secret_origins, allowed_hosts, failing_since, redirect_name`

/** SQLite cannot drop a constraint. No table refers to this one. */
const SQLITE = [
  `create table new_oauth_apps (
    oauth_app_id text not null primary key,
    workspace_id text not null references workspaces (workspace_id),
    definition_id text not null references definitions (definition_id),
    name text not null,
    client_id text not null,
    sealed_secret blob,
    scopes text not null,
    created_at integer not null,
    updated_at integer not null,
    secret_origins text,
    allowed_hosts text,
    failing_since integer,
    redirect_name text,
    ${ADDED.map(([name, type]) => `${name} ${type}`).join(',\n    ')}
  )`,
  `insert into new_oauth_apps (${COLUMNS}) select ${COLUMNS} from oauth_apps`,
  'drop table oauth_apps',
  'alter table new_oauth_apps rename to oauth_apps',
  'create index oauth_apps_by_client_id on oauth_apps (client_id)',
  'create index oauth_apps_by_definition_id on oauth_apps (definition_id)',
]

const INDEXES = [
  // The only ones that a request which names no app can select.
  "create unique index oauth_apps_defaults on oauth_apps (workspace_id, definition_id, coalesce(issuer, '')) where is_default = 1",
  'create unique index oauth_apps_of_customers on oauth_apps (workspace_id, account_identifier, definition_id) where account_identifier is not null',
  'create index oauth_apps_by_workspace_and_definition on oauth_apps (workspace_id, definition_id)',
  'create index oauth_apps_of_workspaces on oauth_apps (workspace_id, definition_id) where account_identifier is null',
  'create index oauth_apps_by_age on oauth_apps (workspace_id, created_at, oauth_app_id)',
  'create index oauth_apps_by_successor on oauth_apps (successor_id) where successor_id is not null',
]
