import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../storage/database.ts'
import { CATALOGUE_WORKSPACE_ID, type Id } from '../storage/id.ts'
import type { WorkspaceSealContext } from './vault.ts'

/** Where to read on, and of which workspace. */
export interface SealedValuesFilter {
  readonly after: SealedRow | undefined
  readonly limit: number
  readonly workspaceId?: Id<'wsp'> | undefined
}

/** Reads and replaces the values of any sealed column, in the order of the primary keys. */
export function createSealedValueStore(database: Database) {
  return {
    /** Rows with a value: the primary key, the workspace and the value as `sealed`. */
    async list(column: SealedColumn, filter: SealedValuesFilter): Promise<SealedRow[]> {
      const { after, limit, workspaceId } = filter
      const { table, column: name, key } = column
      const columns = new Set([...key, ...(hasWorkspace(column) ? ['workspace_id'] : [])])
      const conditions = [sql`${sql.ref(name)} is not null`]
      if (after !== undefined) conditions.push(isAfter(key, after))
      if (workspaceId !== undefined && hasWorkspace(column))
        conditions.push(sql`workspace_id = ${workspaceId}`)
      const { rows } = await sql<SealedRow>`
        select ${sql.join([...columns].map((each) => sql.ref(each)))}, ${sql.ref(name)} as sealed
        from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}
        order by ${sql.join(key.map((each) => sql.ref(each)))} limit ${limit}`.execute(
        database.read,
      )
      return rows
    },

    /** Replaces a value, unless it has just been replaced. */
    async replace(
      trx: Transaction,
      { table, column, key }: SealedColumn,
      row: SealedRow,
      sealed: Uint8Array,
    ): Promise<void> {
      const isRow = key.map((each) => sql`${sql.ref(each)} = ${row[each]}`)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
        where ${sql.join([...isRow, sql`${sql.ref(column)} = ${row.sealed}`], sql` and `)}`.execute(
        trx,
      )
    },
  }
}

export type SealedValueStore = ReturnType<typeof createSealedValueStore>

function hasWorkspace({ table }: SealedColumn): boolean {
  return table !== 'instance_keys'
}

function isAfter(key: readonly string[], after: SealedRow): RawBuilder<unknown> {
  const columns = sql.join(key.map((each) => sql.ref(each)))
  return sql`(${columns}) > (${sql.join(key.map((each) => sql`${after[each]}`))})`
}

/** A column whose values are sealed with the data key of a workspace. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key, and other columns that the context needs. */
  readonly key: readonly string[]
  /** The context of the value in a row; the row has the columns `key` and `workspace_id`, if the table has that. */
  getContext(row: SealedRow): WorkspaceSealContext
}

/** A row as the database returns it. */
export type SealedRow = Readonly<Record<string, unknown>>

/**
 * Every column that a data key seals, for what treats all of them alike: verification, new data keys, lost keys. The code
 * that uses a value states the same context; a test seals one with each and opens it with these.
 *
 * Three columns are not among them: the key ring seals `workspace_keys.wrapped_key` and `key_checks.sealed`, and a secret
 * of the instance, which is in `instance_keys`, seals `idempotency_keys.sealed_response`.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  column('accounts', 'sealed_config', 'account_id'),
  {
    table: 'account_tokens',
    column: 'sealed_headers',
    key: ['workspace_id', 'account_id'],
    // They were a column of accounts when the first of them were sealed.
    getContext: (row) => createContext('accounts', 'sealed_headers', row, row.account_id),
  },
  column('rotations', 'sealed', 'rotation_id'),
  column('oauth_apps', 'sealed_secret', 'oauth_app_id'),
  {
    table: 'oauth_sessions',
    column: 'sealed',
    key: ['attempt_id'],
    // The table had this name when commit 38d70a5c sealed them.
    getContext: (row) => createContext('oauth_attempts', 'sealed', row, row.attempt_id),
  },
  column('connect_sessions', 'sealed_config', 'connect_session_id'),
  column('agent_approvals', 'sealed_request', 'agent_approval_id'),
  {
    table: 'bulk_job_items',
    column: 'sealed_url',
    key: ['bulk_job_id', 'account_id'],
    getContext: (row) =>
      createContext('bulk_job_items', 'sealed_url', row, `${row.bulk_job_id} ${row.account_id}`),
  },
  column('debug_exchanges', 'sealed', 'request_log_id'),
  column('webhook_endpoints', 'sealed_secrets', 'endpoint_id'),
  column('webhook_endpoints', 'sealed_headers', 'endpoint_id'),
  {
    table: 'erasures',
    column: 'sealed_identifier',
    key: ['erasure_id', 'identifier_hash'],
    getContext: (row) =>
      createContext(
        ...(['erasures', 'sealed_identifier', row] as const),
        Buffer.from(row.identifier_hash as Uint8Array).toString('hex'),
      ),
  },
  {
    table: 'instance_keys',
    column: 'sealed',
    key: ['name'],
    getContext: ({ name }) => ({
      table: 'instance_keys',
      column: 'sealed',
      workspaceId: CATALOGUE_WORKSPACE_ID,
      rowId: String(name),
    }),
  },
]

function column(table: string, name: string, key: string): SealedColumn {
  return {
    table,
    column: name,
    key: [key],
    getContext: (row) => createContext(table, name, row, row[key]),
  }
}

function createContext(
  table: string,
  name: string,
  row: SealedRow,
  rowId: unknown,
): WorkspaceSealContext {
  return { table, column: name, workspaceId: row.workspace_id as Id<'wsp'>, rowId: String(rowId) }
}
