import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Database, Param } from '../database.ts'
import type { Id } from '../id.ts'
import { StorageError } from '../storage-error.ts'
import { describeMigrations } from './migration-contract.ts'
import { createSampleRows, TABLE_ORDER } from './sample-rows.ts'
import { insertSampleRows } from './test-database.ts'
import { describeTransactions } from './transaction-contract.ts'

/** Opens databases for the contract. */
export interface ContractHarness {
  /** Opens a new, empty database that is not migrated; may be called repeatedly. */
  createDatabaseOpener(): Promise<() => Promise<Database>>
}

/** Tests that every Database must pass. Defines tests; call it inside `describe`. */
export function describeStorage(harness: ContractHarness): void {
  let database: Database
  before(async () => {
    database = await (await harness.createDatabaseOpener())()
    await database.migrate()
  })
  after(() => database.close())

  describe('values', () => describeValues(() => database))
  describe('prepared queries', () => preparedQueryContract(() => database, harness))
  describe('transactions', () => describeTransactions(() => database))
  describe('migrations', () => describeMigrations(harness))
  it('is healthy while open, and rejects every call once closed', async () => {
    const other = await (await harness.createDatabaseOpener())()
    await other.migrate()
    const prepared = other.prepare((db) => db.selectFrom('users').selectAll())
    assert.equal(await other.healthy(), true)
    await other.close()
    assert.equal(await other.healthy(), false)
    for (const call of [
      () => prepared.all({}),
      () => other.read.selectFrom('users').selectAll().execute(),
      () => other.transaction(async () => 1),
    ]) {
      await assert.rejects(call, { name: 'StorageError', kind: 'unavailable' })
    }
  })
}

function describeValues(database: () => Database): void {
  for (const table of TABLE_ORDER) {
    it(`returns a row of ${table} as inserted`, async () => {
      const rows = await insertSampleRows(database())
      const [idColumn = '', id] = Object.entries(rows[table])[0] ?? []
      const found = await database()
        .read.selectFrom(table)
        // Not all: accounts have columns for the previous version.
        .select(Object.keys(rows[table]) as never[])
        .where(sql.ref(idColumn), '=', id)
        .executeTakeFirstOrThrow()
      assert.deepEqual(normalizeRow(found), normalizeRow(rows[table]))
    })
  }

  it('returns counts, sums and comparisons as numbers', async () => {
    const { links } = await insertSampleRows(database())
    const row = await database()
      .read.selectFrom('links')
      .select((eb) => [
        eb.fn.countAll<number>().as('count'),
        eb.fn.sum<number>('expires_in').as('sum'),
        sql<number>`count(*) > 0`.as('some'),
      ])
      .executeTakeFirstOrThrow()
    assert.equal(typeof row.count, 'number')
    assert.equal(row.sum, row.count * Number(links.expires_in))
    assert.equal(row.some, 1)
  })

  it('orders text by its bytes', async () => {
    const names = ['_', 'Z', 'a', 'B', '0', 'é', 'z']
    const keys = names.map((name) => ({
      key_id: `order-${name}`,
      sealed: Buffer.alloc(1),
      created_at: 1,
    }))
    await database().transaction((trx) => trx.insertInto('key_checks').values(keys).execute())
    const rows = await database()
      .read.selectFrom('key_checks')
      .select('key_id')
      .where('key_id', 'like', 'order-%')
      .orderBy('key_id')
      .execute()
    const found = rows.map((row) => row.key_id.slice(6))
    assert.deepEqual(found, ['0', 'B', 'Z', '_', 'a', 'z', 'é'])
  })

  it('rejects a row whose parent is missing', async () => {
    const { workspaces } = createSampleRows()
    const insert = () =>
      database().transaction((trx) => trx.insertInto('workspaces').values(workspaces).execute())
    await assert.rejects(insert, (error: StorageError) => {
      assert.equal(error.kind, 'reference')
      assert.match(String(error.cause), /foreign key/i)
      return true
    })
  })

  it('rejects writes through read', async () => {
    const { users } = createSampleRows()
    const insert = () => database().read.insertInto('users').values(users).execute()
    await assert.rejects(insert, /read-?only/i)
  })

  it('names the violated constraint: primary key, unique column, pair, and partial index', async () => {
    const { users, workspaces, definitions } = await insertSampleRows(database())
    const other = createSampleRows()
    const assertUniqueViolation = async (constraint: string, insert: () => Promise<unknown>) =>
      assert.rejects(insert, (error) => {
        assert.ok(error instanceof StorageError)
        assert.deepEqual([error.kind, error.constraint], ['unique', constraint])
        assert.doesNotMatch(`${error.message}${error.cause}`, new RegExp(users.user_id))
        return true
      })
    const insert = <T>(table: 'users' | 'workspaces' | 'definitions', row: T) =>
      database().transaction((trx) =>
        trx
          .insertInto(table)
          .values(row as typeof users)
          .execute(),
      )
    await assertUniqueViolation('users(user_id)', () =>
      insert('users', { ...other.users, user_id: users.user_id }),
    )
    await assertUniqueViolation('users(email_key)', () =>
      insert('users', { ...other.users, email_key: users.email_key }),
    )
    await assertUniqueViolation('workspaces(user_id, slug)', () =>
      insert('workspaces', { ...workspaces, workspace_id: other.workspaces.workspace_id }),
    )
    const sameKey = { ...definitions, definition_id: other.definitions.definition_id }
    await assertUniqueViolation('definitions(workspace_id, key)', () =>
      insert('definitions', sameKey),
    )
    await database().transaction((trx) =>
      trx
        .updateTable('definitions')
        .set({ deleted_at: 5 })
        .where('definition_id', '=', definitions.definition_id)
        .execute(),
    )
    await insert('definitions', sameKey)
  })
}

function preparedQueryContract(database: () => Database, harness: ContractHarness): void {
  it('return the first row, all rows, or undefined', async () => {
    const { accounts } = await insertSampleRows(database())
    const findQuery = database().prepare(
      (db, param: Param<{ workspaceId: Id<'wsp'>; limit: number }>) =>
        db
          .selectFrom('accounts')
          .select(['account_id', 'created_at', 'sealed_config'])
          .where('workspace_id', '=', param('workspaceId'))
          .where('auth_type', '=', 'Api Key')
          .limit(param('limit')),
    )
    const params = { workspaceId: accounts.workspace_id, limit: 10 }
    const row = await findQuery.first(params)
    assert.equal(row?.account_id, accounts.account_id)
    assert.equal(row?.created_at, accounts.created_at)
    assert.deepEqual(Buffer.from(row?.sealed_config ?? []), Buffer.from([1, 0, 2]))
    assert.equal((await findQuery.all(params)).length, 1)
    assert.equal((await findQuery.all({ ...params, limit: 0 })).length, 0)
    assert.equal(await findQuery.first({ ...params, workspaceId: 'wsp_none' }), undefined)
  })

  it('accept one parameter in several places', async () => {
    const { users } = await insertSampleRows(database())
    const findQuery = database().prepare((db, param: Param<{ text: Id<'usr'> }>) =>
      db
        .selectFrom('users')
        .select('user_id')
        .where((eb) => eb.or([eb('email', '=', param('text')), eb('user_id', '=', param('text'))])),
    )
    assert.equal(
      (await findQuery.first({ text: users.email as Id<'usr'> }))?.user_id,
      users.user_id,
    )
    assert.equal((await findQuery.first({ text: users.user_id }))?.user_id, users.user_id)
  })

  it('find the row of each key when many are read at once, and let only a broken key fail', async () => {
    const rows = await Promise.all([1, 2, 3].map(() => insertSampleRows(database())))
    const findQuery = database().prepare(
      (db, param: Param<{ id: Id<'usr'>; email: string }>) =>
        db
          .selectFrom('users')
          .select(['user_id', 'email'])
          .where('user_id', '=', param('id'))
          .where('email', '=', param('email'))
          .where('firstname', '!=', 'a constant'),
      { id: 'text', email: 'text' },
    )
    const find = (id: Id<'usr'>, email: string) => findQuery.first({ id, email })
    const [first, second, third] = rows.map(({ users }) => users)
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    const asked = await Promise.allSettled([
      find(first.user_id, first.email),
      find(second.user_id, first.email),
      find(third.user_id, third.email),
      find('usr_none', first.email),
      find(`usr_\0`, first.email),
      find(first.user_id, first.email),
    ])
    const ids = asked.map((each) => (each.status === 'fulfilled' ? each.value?.user_id : undefined))
    const expected = [first.user_id, undefined, third.user_id, undefined, undefined, first.user_id]
    assert.deepEqual(ids, expected)
    assert.deepEqual(
      asked.filter(({ status }) => status === 'rejected').length,
      database().dialect === 'postgres' ? 1 : 0,
    )
  })

  it('find all rows of each key when many are read at once', async () => {
    const rows = await Promise.all([1, 2, 3].map(() => insertSampleRows(database())))
    const listQuery = database().prepare(
      (db, param: Param<{ least: Id<'usr'>; most: Id<'usr'> }>) =>
        db
          .selectFrom('users')
          .select('user_id')
          .where('user_id', '>=', param('least'))
          .where('user_id', '<=', param('most')),
      { least: 'text', most: 'text' },
    )
    const list = async (least: Id<'usr'>, most: Id<'usr'>) =>
      (await listQuery.allUnordered({ least, most })).map((row) => row.user_id).sort()
    const ids = rows.map(({ users }) => users.user_id).sort()
    const [first, second, third] = ids
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    assert.deepEqual(
      await Promise.all([list(first, third), list(third, first), list(first, second)]),
      [ids, [], [first, second]],
    )
  })

  it('can be created before the tables exist', async () => {
    const other = await (await harness.createDatabaseOpener())()
    const all = other.prepare((db) => db.selectFrom('users').select('user_id'))
    await other.migrate()
    assert.deepEqual(await all.all({}), [])
    await other.close()
  })
}

/** Removes differences between the drivers in the types of bytes and in row prototypes. */
function normalizeRow(row: object): object {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value) : value,
  ])
  return Object.fromEntries(entries)
}
