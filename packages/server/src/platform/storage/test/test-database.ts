import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Database, DatabaseOptions } from '../database.ts'
import { openDatabase } from '../open-database.ts'
import type { Tables } from '../tables.ts'
import { createSampleRows, type SampleRows, TABLE_ORDER } from './sample-rows.ts'

/** A folder that is removed after the test. */
export async function createTemporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-storage-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A migrated SQLite database in its own folder, removed after the test. */
export async function openTemporaryDatabase(
  t: TestContext,
  options: DatabaseOptions = {},
): Promise<Database> {
  const folder = await createTemporaryFolder(t)
  const database = await openDatabase({
    file: join(folder, 'linchpin.db'),
    exclusive: true,
    ...options,
  })
  t.after(() => database.close())
  await database.migrate()
  return database
}

/** Inserts sample rows into these tables, or all, and returns the rows of all. */
export async function insertSampleRows(
  database: Database,
  tables: readonly (keyof Tables)[] = TABLE_ORDER,
): Promise<SampleRows> {
  const rows = createSampleRows()
  await database.transaction(async (trx) => {
    for (const table of TABLE_ORDER.filter((name) => tables.includes(name))) {
      await trx.insertInto(table).values(rows[table]).execute()
    }
  })
  return rows
}
