import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Changes a database of commit 38d70a5c into one of `0001-initial`: what only earlier nodes need goes, and every row that stays keeps its
 * values. The transaction of the migration ends with all of it or nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
  for (const [from, to] of Object.entries(RENAMED)) {
    await sql.raw(`alter table ${from} rename to ${to}`).execute(db)
    await (isPostgres ? renameParts(db, from, to) : renameIndexes(db, from, to))
  }
}

/** Tables that are now called what the code and the API call their rows. */
const RENAMED = {
  oauth_attempts: 'oauth_sessions',
  visit_attempts: 'submissions',
  kept_versions: 'previous_versions',
}

/** SQLite: an index keeps its name when its table gets another one. */
async function renameIndexes(db: Kysely<unknown>, from: string, to: string): Promise<void> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select name, sql as definition from sqlite_master
    where type = 'index' and tbl_name = ${to} and sql is not null`.execute(db)
  for (const { name, definition } of rows) {
    await sql`drop index ${sql.ref(name)}`.execute(db)
    await sql.raw(definition.replace(name, name.replace(from, to))).execute(db)
  }
}

/** PostgreSQL: so do indexes, which keys have as well, and foreign keys. */
async function renameParts(db: Kysely<unknown>, from: string, to: string): Promise<void> {
  const indexes = await sql<{ name: string }>`
    select indexname as name from pg_indexes
    where schemaname = current_schema() and tablename = ${to}`.execute(db)
  for (const { name } of indexes.rows)
    await sql`alter index ${sql.ref(name)} rename to ${sql.ref(name.replace(from, to))}`.execute(db)
  const constraints = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid = ${to}::regclass and contype not in ('p', 'u')`.execute(db)
  for (const { name } of constraints.rows)
    await sql`alter table ${sql.table(to)} rename constraint ${sql.ref(name)}
      to ${sql.ref(name.replace(from, to))}`.execute(db)
}

/** Tables whose rows had a checksum in a table of its own. */
const CHECKED = [
  ...['users', 'workspaces', 'tokens', 'links', 'webhook_endpoints', 'oauth_apps'],
  'connect_sessions',
]
const toChecksums = (table: string) => `${table.slice(0, -1)}_checksums`

/** Tables whose rows had it in a column. */
const VERSIONS = ['definitions', 'definition_pins', 'kept_versions']

/** The state of token refresh, which triggers copied from account_tokens for nodes that knew no other place. */
const TOKEN_STATE = [
  ...['token_expires_at', 'token_life_ms', 'sealed_headers', 'renew_at', 'renew_failures'],
  ...['renewal_sent_at', 'lease_owner', 'lease_until'],
]

interface JsonSyntax {
  readonly replayed: (name: string) => string
  readonly isListed: (list: string, values: string) => string
  readonly definitionId: string
}

/** `account.*` of `account.created`. */
const PREFIX = `rtrim(event.type, replace(event.type, '.', '')) || '*'`

/** Queues what replays had not queued yet, which `webhook_endpoints.replay` described. */
const queueReplays = ({ replayed, isListed, definitionId }: JsonSyntax) => [
  `insert into deliveries (endpoint_id, sequence, round, workspace_id, event_id, type, subject, state, attempts, created_at, due_at)
  select endpoint.endpoint_id, event.sequence,
    (select coalesce(max(earlier.round) + 1, 0) from deliveries as earlier
      where earlier.endpoint_id = endpoint.endpoint_id and earlier.sequence = event.sequence),
    event.workspace_id, event.event_id, event.type, event.subject, 'queued', 0, endpoint.updated_at, endpoint.updated_at
  from webhook_endpoints as endpoint join events as event on event.workspace_id = endpoint.workspace_id
  where endpoint.replay is not null and endpoint.deleted_at is null
    and event.sequence > ${replayed('after')} and event.sequence <= ${replayed('until')} and event.at >= ${replayed('since')}
    and (endpoint.types is null or ${isListed('types', `event.type, ${PREFIX}`)})
    and (endpoint.integration_definition_ids is null or ${isListed('integration_definition_ids', definitionId)})
    and not exists (select 1 from deliveries as other
      where other.endpoint_id = endpoint.endpoint_id and other.sequence = event.sequence and (other.state in ('queued', 'pending', 'held')
        or (other.state = 'delivered' and ${replayed('isDeliveredIncluded')} = 0)))`,
  `update webhook_endpoints set queued = (select count(*) from deliveries
    where deliveries.endpoint_id = webhook_endpoints.endpoint_id and state = 'queued') where replay is not null`,
  'drop index webhook_endpoints_replaying',
  'alter table webhook_endpoints drop column replay',
]

const BOTH = [
  ...CHECKED.map((table) => `drop table ${toChecksums(table)}`),
  'drop table drains',
  'drop index accounts_live_by_renew_at',
  // The version of the response, without the checksum that was packed into the same number.
  'update accounts set response_schema = response_schema % 16 where response_schema >= 16',
  'delete from kysely_migration',
]

const SQLITE = [
  ...queueReplays({
    replayed: (name) => `(endpoint.replay ->> '$.${name}')`,
    isListed: (list, values) =>
      `exists (select 1 from json_each(endpoint.${list}) as listed where listed.value in (${values}))`,
    definitionId: `coalesce(event.data ->> '$.account.integrationDefinitionId', event.subject)`,
  }),
  ...CHECKED.flatMap((table) =>
    ['insert', 'update', 'delete'].map((event) => `drop trigger ${table}_checksum_${event}`),
  ),
  ...VERSIONS.flatMap((table) => [
    `drop trigger ${table}_clear_checksum`,
    `alter table ${table} drop column row_checksum`,
  ]),
  ...['copy_new_tokens', 'copy_tokens', 'delete_tokens'].map(
    (name) => `drop trigger accounts_${name}`,
  ),
  ...['copy_new', 'copy', 'erase'].map((name) => `drop trigger account_tokens_${name}`),
  ...BOTH,
  ...TOKEN_STATE.map((column) => `alter table accounts drop column ${column}`),
]

const POSTGRES = [
  ...queueReplays({
    replayed: (name) =>
      `(case endpoint.replay::json ->> '${name}' when 'true' then '1' when 'false' then '0'
        else endpoint.replay::json ->> '${name}' end)::bigint`,
    isListed: (list, values) =>
      `exists (select 1 from json_array_elements_text(endpoint.${list}::json) as listed (value) where listed.value in (${values}))`,
    definitionId: `coalesce(event.data::json #>> '{account,integrationDefinitionId}', event.subject)`,
  }),
  // With their triggers.
  ...[
    ...CHECKED.map((table) => `change_${toChecksums(table)}`),
    ...['clear_row_checksum', 'copy_account_tokens', 'delete_account_tokens'],
    ...['copy_tokens_to_account', 'erase_tokens_of_account'],
  ].map((name) => `drop function ${name}() cascade`),
  // Some development versions had the column in tokens and links, too.
  ...[...VERSIONS, 'tokens', 'links'].map(
    (table) => `alter table ${table} drop column if exists row_checksum`,
  ),
  ...BOTH,
  `alter table accounts ${TOKEN_STATE.map((column) => `drop column ${column}`).join(', ')}`,
]
