import assert from 'node:assert/strict'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describePostgres } from '../../../../test/postgres.ts'
import { inspectDatabaseFile } from '../../../platform/storage/backup.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { newId } from '../../../platform/storage/id.ts'
import { openDatabase } from '../../../platform/storage/open-database.ts'
import { StorageVersionError } from '../../../platform/storage/storage-error.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import { createSampleRows } from '../../../platform/storage/test/sample-rows.ts'
import { createTemporaryFolder } from '../../../platform/storage/test/test-database.ts'
import {
  type DatabaseLocation,
  openTransferSource,
  openTransferTarget,
} from '../../../platform/storage/transfer/open-transfer.ts'
import { COLUMNS } from '../../../privacy/erasure/test/erased-columns.ts'
import {
  checkExportFile,
  ExportFileError,
  exportDatabase,
  type TableReport,
} from './export-database.ts'
import { importDatabase, TargetInUseError } from './import-database.ts'

describePostgres('db export and db import', (server) => {
  after(() => Promise.all(opened.map((database) => database.close())))

  const locate = async (t: TestContext, dialect: string): Promise<DatabaseLocation> => ({
    file: join(await createTemporaryFolder(t), 'linchpin.db'),
    url: dialect === 'PostgreSQL' ? await server().createMigratedDatabase() : undefined,
  })

  for (const [from, to] of [
    ['SQLite', 'PostgreSQL'],
    ['PostgreSQL', 'SQLite'],
  ] as const) {
    it(`${from} → ${to} → ${from}: every value of every table and column is equal`, async (t) => {
      const first = await locate(t, from)
      await fill(t, first)
      const { file, reports } = await exportTo(t, first)
      assert.deepEqual(
        reports.map(({ name }) => name),
        Object.keys(COLUMNS).sort(),
      )
      for (const { name, rows } of reports) assert.ok(rows > 0, `${name} has a sample row`)
      const { tables } = await checkExportFile(file)
      for (const { name, columns } of tables)
        assert.deepEqual(columns, Object.keys(COLUMNS[name] ?? {}).sort(), name)
      const second = await locate(t, to)
      assert.deepEqual(await importFrom(file, second), reports)
      const third = await locate(t, from)
      const back = await exportTo(t, second)
      assert.deepEqual(await importFrom(back.file, third), reports)
      assert.deepEqual(await readAccounts(t, third), await readAccounts(t, first))
    })

    it(`into ${to}: the next event has the next position, also after the last one was deleted`, async (t) => {
      const first = await locate(t, from)
      const { database } = await fill(t, first)
      const last = await addEvent(database)
      await database.transaction((trx) =>
        trx.deleteFrom('events').where('position', '=', last).execute(),
      )
      const { file } = await exportTo(t, first)
      const second = await locate(t, to)
      await importFrom(file, second)
      assert.equal(await addEvent(await open(t, second)), last + 1)
    })

    it(`into ${to}: an interrupted import continues, and the database cannot be used before`, async (t) => {
      const first = await locate(t, from)
      await fill(t, first)
      const { file, reports } = await exportTo(t, first)
      const second = await locate(t, to)
      for (const stopBefore of ['accounts', 'events', 'restore', 'finish']) {
        await assert.rejects(importFrom(file, second, stopBefore), /stopped/)
        const half = await openDatabase(second)
        await assert.rejects(half.migrate(), StorageVersionError)
        await half.close()
        await assert.rejects(exportTo(t, second), /An import into this database has not finished/)
      }
      const other = await exportTo(t, first)
      await assert.rejects(importFrom(other.file, second), TargetInUseError)
      assert.deepEqual(await importFrom(file, second), reports)
      const database = await open(t, second)
      await assert.rejects(
        database.transaction((trx) =>
          trx
            .insertInto('links')
            .values({ ...createSampleRows().links, workspace_id: newId('wsp', 1) })
            .execute(),
        ),
        'foreign keys are restored',
      )
      await assert.rejects(importFrom(file, second), /is not empty: .* has rows/)
    })
  }

  it('exports from PostgreSQL whatever time limits its database sets', async (t) => {
    const location = await locate(t, 'PostgreSQL')
    await fill(t, location)
    const { url = '' } = location
    const client = new pg.Client(url)
    await client.connect()
    await client.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET idle_in_transaction_session_timeout = 20`,
    )
    await client.end()
    const source = await openTransferSource(location)
    await sleep(100)
    assert.ok((await source.listTables()).length > 0)
    await source.close()
  })

  it('names every key that a data key needs, also one before an unfinished rekey', async (t) => {
    const location = await locate(t, 'SQLite')
    await fill(t, location)
    const { file } = await exportTo(t, location)
    const { keys } = (await checkExportFile(file)).trailer
    assert.deepEqual(Object.keys(keys).sort(), ['k0', 'k1'])
    assert.deepEqual(inspectDatabaseFile(location.file).keyIds, ['k0', 'k1'])
  })

  it('two exports at once into one file: one of them is complete, the other fails', async (t) => {
    const location = await locate(t, 'SQLite')
    await fill(t, location)
    const file = join(await createTemporaryFolder(t), 'export')
    const run = async () => {
      const source = await openTransferSource(location)
      await exportDatabase(source, file, () => {}).finally(() => source.close())
    }
    const results = await Promise.allSettled([run(), run()])
    const failures = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    assert.deepEqual(
      failures.map(({ code }) => code),
      ['EEXIST'],
    )
    await checkExportFile(file)
    assert.deepEqual(readdirSync(dirname(file)), ['export'])
  })

  it('exports one moment while rows are written', async (t) => {
    for (const dialect of ['SQLite', 'PostgreSQL']) {
      const location = await locate(t, dialect)
      const { database } = await fill(t, location)
      const source = await openTransferSource(location)
      const before = await source.listMigrations()
      await addEvent(database)
      const file = join(await createTemporaryFolder(t), 'file')
      const reports: TableReport[] = []
      await exportDatabase(source, file, (report) => reports.push(report))
      await source.close()
      assert.ok(before.length > 0)
      assert.equal(reports.find(({ name }) => name === 'events')?.rows, ROWS, dialect)
    }
  })

  it('writes a file with mode 0600, and leaves nothing with its name when it fails', async (t) => {
    const location = await locate(t, 'SQLite')
    const { file } = await exportTo(t, location, () => fill(t, location))
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const empty = await locate(t, 'SQLite')
    writeFileSync(empty.file, '')
    await assert.rejects(exportTo(t, empty), /The database is empty/)
  })

  it('refuses a file that is cut off, changed, of another schema, or something else, and writes nothing', async (t) => {
    const location = await locate(t, 'SQLite')
    const { file } = await exportTo(t, location, () => fill(t, location))
    const text = readFileSync(file, 'utf8')
    const refuse = async (content: string, expected: RegExp) => {
      writeFileSync(file, content)
      const target = await locate(t, 'SQLite')
      await assert.rejects(importFrom(file, target), expected)
      const source = await openTransferSource(target)
      assert.deepEqual(await source.listTables(), [])
      await source.close()
    }
    await refuse(text.slice(0, -2), /middle of a line/)
    await refuse(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1), /not complete/)
    await refuse(text.replace('Lovelace', 'Lovelade'), /damaged after byte/)
    await refuse(text.replace('"0001-initial"', '"0001-other"'), /has the schema/)
    await refuse('SQLite format 3\0', /middle of a line|not an export/)
    await refuse('hello\n', /not an export/)
    await refuse(text.replace(/"migrations":\[[^\]]*\]/, '"migrations":{}'), /not an export/)
    await refuse(text.replace(/"columns":\[/, '"columns":[1,'), /damaged after byte/)
    await refuse(text.replace(/"keys":\{/, '"keys":null,"x":{'), /damaged after byte/)
    await refuse(text.replace(/"counters":\{/, '"counters":{"a.b":"c",'), /damaged after byte/)
    await refuse('x'.repeat(66_000_000), /No line of an export is as long/)
    truncateSync(file)
    await assert.rejects(checkExportFile(file), ExportFileError)
  })
})

const ROWS = 3

const opened: Database[] = []

async function open(_t: TestContext, location: DatabaseLocation): Promise<Database> {
  const database = await openDatabase(location)
  opened.push(database)
  await database.migrate()
  return database
}

/** Fills every table, with values at the limits of what columns hold. */
async function fill(t: TestContext, location: DatabaseLocation) {
  const database = await open(t, location)
  const samples = Array.from({ length: ROWS }, () => createSampleRows())
  const [, edge] = samples
  Object.assign(edge?.accounts ?? {}, EDGE_VALUES)
  await database.transaction(async (trx) => {
    for (const { events, ...rows } of samples) {
      // The database numbers events.
      const { position: _, ...event } = events
      for (const [table, row] of Object.entries({ ...rows, events: event }))
        await trx
          .insertInto(table as keyof Tables)
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
    }
  })
  return { database }
}

const EDGE_VALUES = {
  name: '🜁 ​\u{10FFFF} "quotes" \\ \r\n\t e\u0301 \u0001 ñ',
  public_config: JSON.stringify({ nul: '\0', deep: [[null, true, 1.5, '\u2028']] }),
  sealed_config: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  account_identifier: '',
  updated_at: Number.MAX_SAFE_INTEGER,
  created_at: -1,
  credential_version: 0,
}

async function readAccounts(t: TestContext, location: DatabaseLocation) {
  const { read } = await open(t, location)
  return read.selectFrom('accounts').selectAll().orderBy('account_id').execute()
}

async function addEvent(database: Database): Promise<number> {
  const { position: _, ...row } = createSampleRows().events
  await database.transaction((trx) => trx.insertInto('events').values(row).execute())
  const { position } = await database.read
    .selectFrom('events')
    .select('position')
    .where('event_id', '=', row.event_id)
    .executeTakeFirstOrThrow()
  return position
}

async function exportTo(
  t: TestContext,
  location: DatabaseLocation,
  prepare: () => Promise<unknown> = async () => {},
) {
  await prepare()
  const folder = join(await createTemporaryFolder(t), 'out')
  mkdirSync(folder)
  const file = join(folder, 'export')
  const source = await openTransferSource(location)
  const reports: TableReport[] = []
  try {
    await exportDatabase(source, file, (report) => reports.push(report))
  } finally {
    await source.close()
  }
  return { file, reports }
}

/** Imports; fails before rows of the table `stopBefore`, or before that step. */
async function importFrom(file: string, location: DatabaseLocation, stopBefore?: string) {
  const database = await openDatabase({ ...location, exclusive: true })
  const target = await openTransferTarget(location)
  const stop = (name: string) => {
    if (name === stopBefore) throw new Error('stopped')
  }
  const reports: TableReport[] = []
  try {
    await importDatabase(file, await checkExportFile(file), {
      target: {
        ...target,
        insert: async (table, rows, state) => {
          stop(table.name)
          await target.insert(table, rows, state)
        },
        restore: async () => {
          stop('restore')
          await target.restore()
        },
        finish: async () => {
          stop('finish')
          await target.finish()
        },
      },
      openSource: () => openTransferSource(location),
      migrate: () => database.migrate(),
      onTable: (report) => reports.push(report),
    })
    return reports
  } finally {
    await target.close()
    await database.close()
  }
}
