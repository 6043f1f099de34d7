import type pg from 'pg'
import { StorageInUseError, toStorageError } from '../storage-error.ts'
import { connectForTransfer, listCounters, WITHOUT_LIMITS } from './postgres-source.ts'
import type { TransferRow } from './transfer-row.ts'
import {
  IMPORT_TABLE,
  type ImportState,
  quote,
  type TransferTable,
  type TransferTarget,
} from './transfer-source.ts'

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
          const last = counters[`${table}.${column}`] ?? 0
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
