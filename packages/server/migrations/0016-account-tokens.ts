import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * The state of token refresh in a table of its own, and triggers that copy it from the old columns of accounts and back: the
 * previous version, which knows only those, may run beside this one. Rows of accounts are not rewritten: live accounts
 * that have state get a row in the new table. The triggers and the old columns are for a later release to drop.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const triggers = isPostgres ? POSTGRES : SQLITE
  await createTable(db, isPostgres)
  // Before rows are copied: creating them makes other writers of PostgreSQL wait until this transaction ends.
  for (const statement of triggers.onAccounts) await sql.raw(statement).execute(db)
  await sql
    .raw(
      `insert into account_tokens (workspace_id, account_id, ${list(NEW)})
        select workspace_id, account_id, ${list(OLD)} from accounts
        where deleted_at is null and (${HAS_STATE.replaceAll('new.', '')})`,
    )
    .execute(db)
  if (isPostgres) await addConstraints(db)
  await sql
    .raw(
      'create index account_tokens_by_refresh_at on account_tokens (refresh_at) where refresh_at is not null',
    )
    .execute(db)
  for (const statement of triggers.onTokens) await sql.raw(statement).execute(db)
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE_TYPES: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES_TYPES: Types = {
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  bytes: sql`bytea`,
}

async function createTable(db: Kysely<unknown>, isPostgres: boolean): Promise<void> {
  const { text, integer, bytes } = isPostgres ? POSTGRES_TYPES : SQLITE_TYPES
  await db.schema
    .createTable('account_tokens')
    .addColumn('workspace_id', text, (c) =>
      isPostgres ? c.notNull() : c.notNull().references('workspaces.workspace_id'),
    )
    .addColumn('account_id', text, (c) => c.notNull())
    .addColumn('token_expires_at', integer)
    .addColumn('token_ttl_ms', integer)
    .addColumn('sealed_headers', bytes)
    .addColumn('refresh_at', integer)
    .addColumn('refresh_failures', integer, (c) => c.notNull().defaultTo(0))
    .addColumn('refresh_sent_at', integer)
    .addColumn('lease_owner', text)
    .addColumn('lease_until', integer)
    .$call((table) => (isPostgres ? table : table.addPrimaryKeyConstraint(...PRIMARY_KEY)))
    // Space in each page, so that an update of the lease stays there and changes no index.
    .modifyEnd(isPostgres ? sql`with (fillfactor = 70)` : sql`without rowid`)
    .execute()
}

/** PostgreSQL checks and sorts all rows at once in a fraction of the time that it takes for one after the other. */
async function addConstraints(db: Kysely<unknown>): Promise<void> {
  const table = () => db.schema.alterTable('account_tokens')
  await table()
    .addPrimaryKeyConstraint(...PRIMARY_KEY)
    .execute()
  await table()
    .addForeignKeyConstraint('account_tokens_workspace_id_fkey', ['workspace_id'], 'workspaces', [
      'workspace_id',
    ])
    .execute()
}

const PRIMARY_KEY = ['account_tokens_key', ['workspace_id', 'account_id']] as const satisfies [
  string,
  string[],
]

/** The old columns of accounts, in the order of the new ones. */
const OLD = [
  'token_expires_at',
  'token_life_ms',
  'sealed_headers',
  'renew_at',
  'renew_failures',
  'renewal_sent_at',
  'lease_owner',
  'lease_until',
]
const NEW = [
  'token_expires_at',
  'token_ttl_ms',
  'sealed_headers',
  'refresh_at',
  'refresh_failures',
  'refresh_sent_at',
  'lease_owner',
  'lease_until',
]
const NO_STATE = 'null, null, null, null, 0, null, null, null'

const list = (columns: readonly string[], row = '') =>
  columns.map((column) => row + column).join(', ')

const HAS_STATE = OLD.map((column) =>
  column === 'renew_failures' ? `new.${column} <> 0` : `new.${column} is not null`,
).join(' or ')

const COPY_TO_TOKENS = (isDistinct: string) => `
  insert into account_tokens (workspace_id, account_id, ${list(NEW)})
    values (new.workspace_id, new.account_id, ${list(OLD, 'new.')})
    on conflict (workspace_id, account_id) do update
      set (${list(NEW)}) = (${list(NEW, 'excluded.')})
      where (${list(NEW, 'account_tokens.')}) ${isDistinct} (${list(NEW, 'excluded.')});`

const COPY_TO_ACCOUNT = (isDistinct: string) => `
  update accounts set (${list(OLD)}) = (${list(NEW, 'new.')})
    where account_id = new.account_id and (${list(OLD)}) ${isDistinct} (${list(NEW, 'new.')});`

const ERASE_FROM_ACCOUNT = (isDistinct: string) => `
  update accounts set (${list(OLD)}) = (${NO_STATE})
    where account_id = old.account_id and (${list(OLD)}) ${isDistinct} (${NO_STATE});`

const DELETE_TOKENS = `
  delete from account_tokens
    where workspace_id = new.workspace_id and account_id = new.account_id;`

const IS_INSERTED = `new.deleted_at is null and (${HAS_STATE})`
const IS_CHANGED = (isDistinct: string) =>
  `new.deleted_at is null and (${list(OLD, 'old.')}) ${isDistinct} (${list(OLD, 'new.')})`
const IS_DELETED = 'new.deleted_at is not null and old.deleted_at is null'

const SQLITE = {
  onAccounts: [
    `create trigger accounts_copy_new_tokens after insert on accounts when ${IS_INSERTED}
    begin ${COPY_TO_TOKENS('is not')} end`,
    `create trigger accounts_copy_tokens after update of ${list(OLD)} on accounts
    when ${IS_CHANGED('is not')}
    begin ${COPY_TO_TOKENS('is not')} end`,
    `create trigger accounts_delete_tokens after update of deleted_at on accounts when ${IS_DELETED}
    begin ${DELETE_TOKENS} end`,
  ],
  onTokens: [
    `create trigger account_tokens_copy_new after insert on account_tokens
    begin ${COPY_TO_ACCOUNT('is not')} end`,
    `create trigger account_tokens_copy after update on account_tokens
    begin ${COPY_TO_ACCOUNT('is not')} end`,
    `create trigger account_tokens_erase after delete on account_tokens
    begin ${ERASE_FROM_ACCOUNT('is not')} end`,
  ],
}

const DISTINCT = 'is distinct from'

const createFunction = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$
    begin ${body} return null; end $$`

const POSTGRES = {
  onAccounts: [
    createFunction('copy_account_tokens', COPY_TO_TOKENS(DISTINCT)),
    createFunction('delete_account_tokens', DELETE_TOKENS),
    `create trigger accounts_copy_new_tokens after insert on accounts
    for each row when (${IS_INSERTED}) execute function copy_account_tokens()`,
    `create trigger accounts_copy_tokens after update of ${list(OLD)} on accounts
    for each row when (${IS_CHANGED(DISTINCT)}) execute function copy_account_tokens()`,
    `create trigger accounts_delete_tokens after update of deleted_at on accounts
    for each row when (${IS_DELETED}) execute function delete_account_tokens()`,
  ],
  onTokens: [
    createFunction('copy_tokens_to_account', COPY_TO_ACCOUNT(DISTINCT)),
    createFunction('erase_tokens_of_account', ERASE_FROM_ACCOUNT(DISTINCT)),
    `create trigger account_tokens_copy after insert or update on account_tokens
    for each row execute function copy_tokens_to_account()`,
    `create trigger account_tokens_erase after delete on account_tokens
    for each row execute function erase_tokens_of_account()`,
  ],
}
