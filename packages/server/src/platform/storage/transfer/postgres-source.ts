import type pg from 'pg'
import { connectClient } from '../postgres/connect-client.ts'
import { buildConnectionConfig } from '../postgres/postgres-pool.ts'
import type { TransferRow, TransferValue } from './transfer-row.ts'
import {
  assertImported,
  OWN_TABLES,
  selectRows,
  type TransferSource,
  type TransferTable,
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
