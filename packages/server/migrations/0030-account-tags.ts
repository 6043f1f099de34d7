import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * Tags of accounts, and the table that finds accounts by them. Triggers derive it from `accounts.tags`, so that no statement,
 * also of the previous version, leaves it outdated. They also remove the tags of deleted accounts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const types = isPostgres ? POSTGRES_TYPES : SQLITE_TYPES
  for (const table of ['accounts', 'connect_sessions'])
    await db.schema
      .alterTable(table)
      .addColumn('tags', types.text, (c) => c.notNull().defaultTo('{}'))
      .execute()
  await createTable(db, types, isPostgres)
  for (const index of ACCOUNT_INDEXES) await sql.raw(`create index ${index}`).execute(db)
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
}

const SQLITE_TYPES: Types = { text: sql`text`, integer: sql`integer` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES_TYPES: Types = { text: sql`text collate "C"`, integer: sql`bigint` }

async function createTable(
  db: Kysely<unknown>,
  { text, integer }: Types,
  isPostgres: boolean,
): Promise<void> {
  const table = db.schema
    .createTable('account_tags')
    .addColumn('workspace_id', text, (c) => c.notNull())
    .addColumn('key', text, (c) => c.notNull())
    .addColumn('value', text, (c) => c.notNull())
    .addColumn('account_id', text, (c) =>
      c.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('account_tags_key', ['account_id', 'key'])
  await (isPostgres ? table : table.modifyEnd(sql`without rowid`)).execute()
  // In the two orders of the list of accounts.
  for (const time of ['created', 'updated'])
    await sql
      .raw(
        `create index account_tags_by_${time} on account_tags (workspace_id, key, value, ${time}_at, account_id)`,
      )
      .execute(db)
}

/** For lists in the order of updates, without and with deleted accounts. */
const ACCOUNT_INDEXES = [
  'accounts_live_by_update on accounts (workspace_id, updated_at, account_id) where deleted_at is null',
  'accounts_by_update on accounts (workspace_id, updated_at, account_id)',
]

const PUBLIC_COLUMNS = [
  'account_id',
  'workspace_id',
  'definition_id',
  'link_id',
  'name',
  'auth_type',
  'account_identifier',
  'public_config',
  'status',
  'status_reason',
  'tags',
  'created_at',
  'updated_at',
  'deleted_at',
].join(', ')

const COPIED_COLUMNS = 'tags, workspace_id, created_at, updated_at, deleted_at'

const INSERT_TAGS = (each: string) => `
  insert into account_tags (workspace_id, key, value, account_id, created_at, updated_at)
    select new.workspace_id, tag.key, tag.value, new.account_id, new.created_at, new.updated_at
    from ${each} as tag where new.deleted_at is null;`

const REPLACE_TAGS = (each: string) => `
  delete from account_tags where account_id = new.account_id;
  ${INSERT_TAGS(each)}`

const HAS_TAGS = `new.tags <> '{}'`
const HAD_TAGS = `(old.tags <> '{}' or new.tags <> '{}')`
const KEPT_TAGS = `new.deleted_at is not null and new.tags <> '{}'`

const SQLITE = [
  'drop trigger accounts_clear_response',
  `create trigger accounts_clear_response after update of ${PUBLIC_COLUMNS} on accounts
    when old.response_json is not null and new.response_json is old.response_json
    begin
      update accounts set response_json = null, response_schema = null
        where account_id = new.account_id;
    end`,
  `create trigger accounts_remove_tags after update of deleted_at on accounts when ${KEPT_TAGS}
    begin update accounts set tags = '{}' where account_id = new.account_id; end`,
  `create trigger accounts_copy_new_tags after insert on accounts when ${HAS_TAGS}
    begin ${INSERT_TAGS('json_each(new.tags)')} end`,
  `create trigger accounts_copy_tags after update of ${COPIED_COLUMNS} on accounts when ${HAD_TAGS}
    begin ${REPLACE_TAGS('json_each(new.tags)')} end`,
]

const createFunction = (name: string, body: string, result: 'new' | 'null') =>
  `create function ${name}() returns trigger language plpgsql as $$
    begin ${body} return ${result}; end $$`

const EACH_TAG = 'jsonb_each_text(new.tags::jsonb)'

const POSTGRES = [
  'drop trigger accounts_clear_response on accounts',
  `create trigger accounts_clear_response before update of ${PUBLIC_COLUMNS} on accounts
    for each row
    when (old.response_json is not null and new.response_json is not distinct from old.response_json)
    execute function clear_account_response()`,
  createFunction('remove_account_tags', `new.tags := '{}';`, 'new'),
  `create trigger accounts_remove_tags before update of deleted_at on accounts
    for each row when (${KEPT_TAGS}) execute function remove_account_tags()`,
  createFunction('copy_new_account_tags', INSERT_TAGS(EACH_TAG), 'null'),
  `create trigger accounts_copy_new_tags after insert on accounts
    for each row when (${HAS_TAGS}) execute function copy_new_account_tags()`,
  createFunction('copy_account_tags', REPLACE_TAGS(EACH_TAG), 'null'),
  `create trigger accounts_copy_tags after update of ${COPIED_COLUMNS} on accounts
    for each row when (${HAD_TAGS}) execute function copy_account_tags()`,
]
