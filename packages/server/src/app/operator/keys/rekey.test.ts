import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { cutDatabase } from '../../../platform/storage/test/cut-database.ts'
import { openTemporaryDatabase } from '../../../platform/storage/test/test-database.ts'
import { rekey } from '../../../platform/vault/rekey.ts'
import { readKeyId } from '../../../platform/vault/sealed-box.ts'
import {
  createSealedValueStore,
  SEALED_COLUMNS,
} from '../../../platform/vault/sealed-value-store.ts'
import { createTestWorkspace, generateKey } from '../../../platform/vault/test/test-keys.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { addSealedRows, openAll } from './test/sealed-rows.ts'

describeOnBothDatabases('keys rekey', (newUrl) => {
  const now = () => 1_800_000_000_000
  const keys = [generateKey('k1')] as const

  async function fill(t: TestContext) {
    const database = await openTemporaryDatabase(t, { url: await newUrl() })
    const vault = createVault({ database, keys, now })
    await vault.verify()
    const rows = await addSealedRows(database, vault)
    const other = await addSealedRows(database, vault)
    return { database, vault, rows, other }
  }

  const readWrapped = async ({ read }: Database) =>
    read
      .selectFrom('workspace_keys')
      .select(['workspace_id', 'wrapped_key', 'data_key', 'previous_key_id'])
      .orderBy('workspace_id')
      .execute()

  it('seals every value with a new data key, which nodes with the previous one in memory can open', async (t) => {
    const { database, vault: node, rows } = await fill(t)
    const before = await openAll(database, node)
    const previous = await readWrapped(database)
    const result = await rekey({ database, keys, now }, { graceMs: 0 })
    // Two workspaces with eleven columns, of which the keys of the installation belong to a third.
    assert.deepEqual(result, { workspaces: 3, values: Object.keys(before).length })
    assert.deepEqual(await openAll(database, node), before)
    assert.deepEqual(await openAll(database, createVault({ database, keys, now })), before)
    const after = await readWrapped(database)
    for (const [index, row] of after.entries()) {
      assert.deepEqual([row.data_key, row.previous_key_id], [2, null])
      assert.notDeepEqual(row.wrapped_key, previous[index]?.wrapped_key)
    }
    assert.deepEqual(await rekey({ database, keys, now }, { graceMs: 0 }), result, 'again')
    assert.deepEqual(await openAll(database, node), before)
    const { sealed_config } = await database.read
      .selectFrom('accounts')
      .select('sealed_config')
      .where('account_id', '=', rows.accounts.account_id)
      .executeTakeFirstOrThrow()
    assert.equal(readKeyId(sealed_config ?? Buffer.alloc(0)), '3')
  })

  it('with a workspace: changes no other', async (t) => {
    const { database, vault, rows, other } = await fill(t)
    const { workspace_id: workspaceId } = rows.workspaces
    const before = await openAll(database, vault)
    const { workspaces } = await rekey({ database, keys, now }, { graceMs: 0, workspaceId })
    assert.equal(workspaces, 1)
    assert.deepEqual(await openAll(database, vault), before)
    const numbers = new Map(
      (await readWrapped(database)).map((row) => [row.workspace_id, row.data_key]),
    )
    assert.deepEqual([numbers.get(workspaceId), numbers.get(other.workspaces.workspace_id)], [2, 1])
  })

  it('continues after an interruption at any transaction; every value can be opened throughout', async (t) => {
    const { database, vault: node } = await fill(t)
    const before = await openAll(database, node)
    let interruptions = 0
    for (let limit = 1; ; limit += 1) {
      const cut = cutDatabase(database, limit)
      const failed = await rekey({ database: cut, keys, now }, { graceMs: 0 }).then(
        () => false,
        () => true,
      )
      assert.deepEqual(await openAll(database, node), before)
      assert.deepEqual(await openAll(database, createVault({ database, keys, now })), before)
      if (!failed) break
      interruptions += 1
    }
    assert.ok(interruptions > 2)
    for (const row of await readWrapped(database)) assert.equal(row.previous_key_id, null)
  })

  it('gives those workspaces a new data key, too, that an interruption had not reached', async (t) => {
    const { database, vault } = await fill(t)
    for (let count = 0; count < 100; count += 1) await createTestWorkspace(database, vault)
    const readNumbers = async () =>
      new Set((await readWrapped(database)).map((row) => row.data_key))
    const times = { started: 1_800_000_100_000, resumed: 1_800_000_200_000 }
    const started = { database: cutDatabase(database, 1), keys, now: () => times.started }
    await assert.rejects(rekey(started, { graceMs: 0 }), /interrupted/)
    assert.deepEqual(await readNumbers(), new Set([1, 2]), 'one batch of two')
    const resumed = { database, keys, now: () => times.resumed }
    assert.equal((await rekey(resumed, { graceMs: 0 })).workspaces, 103)
    assert.deepEqual(await readNumbers(), new Set([2]))
  })

  it('loses nothing that nodes write meanwhile, with the previous data key or the new one', async (t) => {
    const { database, rows } = await fill(t)
    const maxAge = 100
    const node = createVault({ database, keys, now, dataKeyMaxAgeMs: maxAge })
    const { account_id, workspace_id } = rows.accounts
    const context = {
      table: 'accounts',
      column: 'sealed_config',
      workspaceId: workspace_id,
      rowId: account_id,
    }
    let last = ''
    let isDone = false
    const write = async () => {
      for (let count = 0; !isDone; count += 1) {
        const text = `written ${count}`
        const sealed_config = await node.seal(context, text)
        await database.transaction((trx) =>
          trx
            .updateTable('accounts')
            .set({ sealed_config })
            .where('account_id', '=', account_id)
            .execute(),
        )
        last = text
      }
    }
    const writing = write()
    await rekey({ database, keys, now }, { graceMs: 2 * maxAge })
    isDone = true
    await writing
    const opened = await openAll(database, createVault({ database, keys, now }))
    assert.equal(opened[`accounts.sealed_config ${workspace_id} ${account_id}`], last)
    assert.deepEqual(
      Object.values(opened).filter((text) => /Error/.test(text)),
      [],
    )
  })

  it('lets a request open what it has read before, although the value is sealed again', async (t) => {
    const { database, rows } = await fill(t)
    const node = createVault({ database, keys, now, dataKeyMaxAgeMs: 0 })
    const [column] = SEALED_COLUMNS
    assert.ok(column)
    const { list } = createSealedValueStore(database)
    const workspaceId = rows.workspaces.workspace_id
    const readValue = async () => {
      const [row] = await list(column, { after: undefined, limit: 1, workspaceId })
      assert.ok(row)
      return { context: { ...column.getContext(row), workspaceId }, sealed: row.sealed as Buffer }
    }
    const { context, sealed } = await readValue()
    const isLastSealedAgain = async () => {
      const lastColumn = SEALED_COLUMNS.at(-1) ?? column
      const lastRows = await list(lastColumn, { after: undefined, limit: 100 })
      return lastRows.every((row) => readKeyId(row.sealed as Buffer) === '2')
    }
    const rekeying = rekey({ database, keys, now }, { graceMs: 1_000 })
    while (!(await isLastSealedAgain())) await sleep(5)
    await sleep(100)
    assert.match(await node.openText(context, sealed), /^secret of/)
    await rekeying
    await assert.rejects(node.openText(context, sealed))
  })

  it('does not replace a value that was written after it was read', async (t) => {
    const { database, rows } = await fill(t)
    const [column] = SEALED_COLUMNS
    assert.ok(column)
    const values = createSealedValueStore(database)
    const [read] = await values.list(column, { after: undefined, limit: 1 })
    assert.ok(read)
    const sealed_config = Buffer.from('written meanwhile')
    await database.transaction((trx) =>
      trx.updateTable('accounts').set({ sealed_config }).execute(),
    )
    await database.transaction((trx) =>
      values.replace(trx, column, read, Buffer.from('sealed again')),
    )
    const after = await values.list(column, { after: undefined, limit: 2 })
    assert.equal(after.length, 2, rows.accounts.account_id)
    for (const { sealed } of after)
      assert.equal(Buffer.from(sealed as Uint8Array).toString(), 'written meanwhile')
  })

  it('keys rotate waits until it has ended', async (t) => {
    const { database } = await fill(t)
    const cut: Database = { ...database }
    let count = 0
    cut.transaction = (work, options) => {
      count += 1
      if (count > 1) throw new Error('interrupted')
      return database.transaction(work, options)
    }
    await assert.rejects(rekey({ database: cut, keys, now }, { graceMs: 0 }), /interrupted/)
    const vault = createVault({ database, keys: [generateKey('k2'), ...keys], now })
    await assert.rejects(vault.rotateKeys(), /Run `linchpin keys rekey` to its end first/)
  })
})
