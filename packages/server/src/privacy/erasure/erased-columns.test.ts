import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { databaseBytes, expectOk, readAllText, testContext } from '../../../test/test-context.ts'
import { COLUMNS } from './test/erased-columns.ts'
import { type PlantContext, plantCustomer } from './test/plant-customer.ts'

describeOnBothDatabases('Every column', defineTests)

/** Every planted value contains it. */
const MARK = 'plant7f3'
const IDENTIFIER = `${MARK}-ident`

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: PlantContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, pages: true, url: await newUrl() })
  })
  after(() => t.close())

  it('is classified by what an erasure does to it', async () => {
    const tables = await t.database.read.introspection.getTables()
    const actual = tables
      .filter(({ name }) => !name.startsWith('sqlite_'))
      .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    const known = Object.entries(COLUMNS).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    )
    assert.deepEqual(
      actual.filter((column) => !known.includes(column)),
      [],
      'say in test/erased-columns.ts what an erasure does to these columns, and make it do so',
    )
    assert.deepEqual(
      known.filter((column) => !actual.includes(column)),
      [],
      'these columns no longer exist',
    )
  })

  it('that can name a customer does so after real use, and no longer after the erasure; nor do the bytes of the file', async () => {
    await plantCustomer(t, { identifier: IDENTIFIER, mark: MARK })
    const planted = await findMarkedColumns()
    const expected = Object.entries(COLUMNS).flatMap(([table, columns]) =>
      Object.entries(columns)
        .filter(([, kind]) => kind === 'scrubbed' || kind === 'deleted')
        // Entries leave the inbox soon: chain-entries.test.ts erases them there.
        .filter(() => table !== 'audit_inbox')
        .map(([column]) => `${table}.${column}`),
    )
    assert.deepEqual(planted.sort(), expected.sort(), 'what real use puts the planted values into')
    const body = { accountIdentifier: IDENTIFIER }
    const receipt = expectOk(await t.call('POST', '/v1/erasure', { body }))
    assert.equal(receipt.status, 'finished')
    assert.equal(receipt.revocations.revoked, 1)
    assert.deepEqual(await findMarkedColumns(), [])
    assert.ok(!(await readAllText(t)).includes(MARK))
    if (t.database.dialect !== 'sqlite') return
    const bytes = await databaseBytes(t)
    assert.ok(!bytes.includes(MARK), `in the file, at byte ${bytes.indexOf(MARK)}`)
  })

  /** The columns with a planted value, as `table.column`. */
  async function findMarkedColumns(): Promise<string[]> {
    const found: string[] = []
    for (const { name, columns } of await t.database.read.introspection.getTables()) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
        t.database.read,
      )
      for (const column of columns)
        if (rows.some((row) => toText(row[column.name]).includes(MARK)))
          found.push(`${name}.${column.name}`)
    }
    return found
  }
}

function toText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
}
