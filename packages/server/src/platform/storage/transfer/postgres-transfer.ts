import type pg from 'pg'
import { buildConnectionConfig, connectClient } from '../postgres/postgres-pool.ts'
import { StorageInUseError, toStorageError } from '../storage-error.ts'
import {
  assertImported,
  IMPORT_TABLE,
  type ImportState,
  OWN_TABLES,
  quote,
  selectRows,
  type TransferRow,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
  type TransferValue,
} from './transfer-source.ts'

/** Reads one moment of a PostgreSQL database, in a read-only transaction, beside services that use it. */
export async function openPostgresSource(url: string): Promise<TransferSource> {
  const client = await connectForTransfer(url)
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${WITHOUT_LIMITS}`)
  const list = async (sql: string, values: unknown[] = []): Promise<string[]> =>
    (await client.query({ text: sql, values, rowMode: 'array' })).rows.map(([name]) => String(name))
  const listTableNames = () => list(TABLES)
  return {
    dialect: 'postgres',
    listMigrations: async () => {
      const tableNames = await listTableNames()
      assertImported(tableNames)
      return tableNames.includes('kysely_migration')
        ? list('SELECT name FROM kysely_migration ORDER BY name COLLATE "C"')
        : []
    },
    listTables: async () => {
      const tables: TransferTable[] = []
      for (const name of await listTableNames())
        if (!OWN_TABLES.includes(name)) tables.push({ name, columns: await list(COLUMNS, [name]) })
      return tables
    },
    readRows: (table) => readRows(client, table),
    readCounters: () => readCounters(client),
    close: () => client.end(),
  }
}

/**
 * Begins a transaction whose statements, and the pauses between them, may take as long as they need, whatever the role or the
 * database sets by default. Behind a pooler nothing may outlive the transaction.
 */
export const WITHOUT_LIMITS =
  'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'

/** A connection that does not give up. @throws {StorageError} */
export function connectForTransfer(url: string): Promise<pg.Client> {
  return connectClient({ ...buildConnectionConfig(url), application_name: 'linchpin db' })
}

/** The columns with generated numbers. */
export async function listCounters(client: pg.Client) {
  const { rows } = await client.query(`
    SELECT table_name AS table, column_name AS column,
      pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
    FROM information_schema.columns
    WHERE table_schema = current_schema()
      AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL`)
  return rows as { table: string; column: string; sequence: string }[]
}

const TABLES = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename COLLATE "C"`
const COLUMNS = `
  SELECT column_name FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY column_name COLLATE "C"`

async function readCounters(client: pg.Client): Promise<Record<string, number>> {
  const counters: Record<string, number> = {}
  for (const { table, column, sequence } of await listCounters(client)) {
    const { rows } = await client.query(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sequence}`,
    )
    counters[`${table}.${column}`] = rows[0]?.last
  }
  return counters
}

async function* readRows(
  client: pg.Client,
  table: TransferTable,
): AsyncGenerator<readonly TransferRow[]> {
  await client.query(`DECLARE export_rows NO SCROLL CURSOR FOR ${selectRows(table)}`)
  for (let limit = 16; ; ) {
    const text = `FETCH ${limit} FROM export_rows`
    const { rows } = await client.query<TransferValue[]>({ text, rowMode: 'array' })
    if (rows.length === 0) break
    yield rows
    limit = chooseLimit(rows, limit)
  }
  await client.query('CLOSE export_rows')
}

/** Batches grow to a thousand rows while they stay below 4 MB. */
function chooseLimit(rows: readonly TransferRow[], limit: number): number {
  const bytes = rows.flat().reduce<number>((sum, value) => sum + measure(value), 0)
  const fitting = Math.floor((rows.length * 4_000_000) / bytes)
  return Math.max(1, Math.min(1_000, limit * 2, fitting))
}

function measure(value: TransferValue): number {
  return value === null || typeof value === 'number' ? 8 : value.length
}

/** Fills a PostgreSQL database. A lock, which ends with the connection, keeps other imports away. */
export async function openPostgresTarget(url: string): Promise<TransferTarget> {
  const unlock = await lock(url)
  const client = await connectForTransfer(url).catch(async (error) => {
    await unlock()
    throw error
  })
  const transact = createTransact(client)
  const readTypes = createReadTypes(client)
  return {
    readState: () => readState(client),
    begin: (state) => transact(() => begin(client, state)),
    insert: (table, rows, state) =>
      transact(async () => {
        await insertRows(client, await readTypes(table.name), table, rows)
        await client.query(`UPDATE ${IMPORT_TABLE} SET content = $1 WHERE position = 0`, [
          JSON.stringify(state),
        ])
      }),
    restore: async () => {
      const { rows } = await client.query(
        `SELECT position, content FROM ${IMPORT_TABLE} WHERE position > 0 ORDER BY position`,
      )
      for (const { position, content } of rows)
        await transact(async () => {
          await client.query(content)
          await client.query(`DELETE FROM ${IMPORT_TABLE} WHERE position = $1`, [position])
        })
      await transact(() => client.query('ANALYZE'))
    },
    setCounters: (counters) =>
      transact(async () => {
        for (const { table, column, sequence } of await listCounters(client)) {
          // SQLite has no counter where it may use numbers of deleted rows again.
          const { rows } = await client.query(
            `SELECT coalesce(max(${quote(column)}), 0) AS last FROM ${quote(table)}`,
          )
          const last = Math.max(counters[`${table}.${column}`] ?? 0, Number(rows[0]?.last))
          await client.query('SELECT setval($1, $2, $3)', [sequence, Math.max(last, 1), last > 0])
        }
      }),
    finish: () => transact(() => client.query(`DROP TABLE ${IMPORT_TABLE}`)),
    close: async () => {
      await client.end()
      await unlock()
    },
  }
}

// An arbitrary number that no other program on the same database uses.
const IMPORT_LOCK = 7_210_349_116

/**
 * Waits a moment: PostgreSQL may not have noticed yet that an import was killed. A transaction of a second connection holds
 * the lock, because a pooler keeps nothing else.
 */
async function lock(url: string): Promise<() => Promise<void>> {
  const client = await connectForTransfer(url)
  try {
    await client.query(`BEGIN; ${WITHOUT_LIMITS}; SET LOCAL lock_timeout = '5s'`)
    await client.query(`SELECT pg_advisory_xact_lock(${IMPORT_LOCK})`)
    return () => client.end()
  } catch (cause) {
    await client.end()
    throw new StorageInUseError('Another import is filling this database', { cause })
  }
}

function createTransact(client: pg.Client) {
  return async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await client.query(`BEGIN READ WRITE; ${WITHOUT_LIMITS}`)
      await work()
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw toStorageError(error)
    }
  }
}

async function begin(client: pg.Client, state: ImportState): Promise<void> {
  await client.query(`CREATE TABLE ${IMPORT_TABLE} (position bigint PRIMARY KEY, content text)`)
  const { rows } = await client.query(REMOVABLE)
  const contents = [JSON.stringify(state), ...rows.map(({ restore }) => restore)]
  await client.query(
    `INSERT INTO ${IMPORT_TABLE} SELECT n - 1, c FROM unnest($1::text[]) WITH ORDINALITY AS t (c, n)`,
    [contents],
  )
  for (const { remove } of rows) await client.query(remove)
}

/** Triggers, foreign keys and the indexes that belong to no constraint: how to remove and how to restore each. */
const REMOVABLE = `
  WITH tables AS (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
  SELECT 3 AS step, format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS remove, pg_get_triggerdef(oid) AS restore
    FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM tables) AND NOT tgisinternal
  UNION ALL
  SELECT 2, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE conrelid IN (SELECT oid FROM tables) AND contype = 'f'
  UNION ALL
  SELECT 1, format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indrelid IN (SELECT oid FROM tables)
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
  ORDER BY 1, 2`

async function insertRows(
  client: pg.Client,
  types: ReadonlyMap<string, string>,
  { name, columns }: TransferTable,
  rows: readonly TransferRow[],
): Promise<void> {
  const arrays = columns.map((column, index) => `$${index + 1}::${types.get(column)}[]`)
  await client.query(
    `INSERT INTO ${quote(name)} (${columns.map(quote).join()}) OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest(${arrays.join()})`,
    columns.map((_, index) => rows.map((row) => row[index] ?? null)),
  )
}

/** The types of the columns of a table. */
function createReadTypes(client: pg.Client) {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return async (table: string): Promise<ReadonlyMap<string, string>> => {
    const cached = known.get(table)
    if (cached !== undefined) return cached
    const { rows } = await client.query(
      `SELECT column_name, udt_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = $1`,
      [table],
    )
    const types = new Map(rows.map(({ column_name, udt_name }) => [column_name, udt_name]))
    known.set(table, types)
    return types
  }
}

async function readState(client: pg.Client): Promise<ImportState | undefined> {
  const { rows: tables } = await client.query('SELECT to_regclass($1) AS name', [IMPORT_TABLE])
  if (tables[0]?.name === null) return undefined
  const { rows } = await client.query(`SELECT content FROM ${IMPORT_TABLE} WHERE position = 0`)
  return JSON.parse(rows[0]?.content) as ImportState
}
