import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { it } from 'node:test'
import {
  type AccountRow,
  stringifyAccount,
  toResponseColumns,
} from '../packages/server/src/accounts/accounts/account.ts'
import { toPublicAccount } from '../packages/server/src/accounts/accounts/account-row-store.ts'
import { isId, newId } from '../packages/server/src/platform/storage/id.ts'
import { openDatabase } from '../packages/server/src/platform/storage/open-database.ts'
import { insertSampleRows } from '../packages/server/src/platform/storage/test/test-database.ts'
import { describeOnBothDatabases } from '../packages/server/test/postgres.ts'
import { fillAccounts, sampleAccountIds } from './fill-accounts.ts'

const COUNT = 400

describeOnBothDatabases('The accounts of a benchmark', (newUrl) => {
  it('have the responses and search texts that the service would store', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-bench-'))
    t.after(() => rm(folder, { recursive: true }))
    const location = { file: path.join(folder, 'linchpin.db'), url: await newUrl() }
    const { account, linkId } = await createTemplate(location)
    const { account_id: accountId, workspace_id: otherWorkspaceId } = account
    await fillAccounts({ ...location, accountId, otherWorkspaceId, linkId, count: COUNT })
    const rows = await readAccounts(location)
    const copies = rows.filter((row) => row.account_id !== accountId)
    assert.equal(copies.length, COUNT)
    for (const row of copies) {
      const stored = toResponseColumns(toPublicAccount(row))
      assert.equal(row.response_json, stringifyAccount(toPublicAccount(row)))
      assert.equal(row.search_text, stored.search_text)
      assert.ok(isId('acc', row.account_id), row.account_id)
    }
    const count = (matches: (row: AccountRow) => boolean) => copies.filter(matches).length
    assert.equal(
      count((row) => row.account_identifier === 'customer-7'),
      10,
    )
    assert.equal(
      count((row) => row.link_id === linkId),
      COUNT / 20,
    )
    assert.equal(
      count((row) => row.status === 'needs_reauth'),
      COUNT / 100,
    )
    const ids = new Set(rows.map((row) => row.account_id))
    const sample = await sampleAccountIds(location, 20)
    assert.equal(sample.length, 20)
    assert.ok(sample.every((id) => ids.has(id)))
  })
})

type Location = { readonly file: string; readonly url: string | undefined }

/** The only account, as the service stores it. */
async function createTemplate(location: Location) {
  const database = await openDatabase(location)
  try {
    await database.migrate()
    const tables = ['users', 'workspaces', 'bundles', 'definitions', 'links'] as const
    const { accounts, links } = await insertSampleRows(database, tables)
    const createdAt = Date.now()
    const row: AccountRow = {
      ...accounts,
      account_id: newId('acc', createdAt),
      created_at: createdAt,
      tags: '{}',
      identity_id: null,
      identity_label: null,
      oauth_app_id: null,
      status_since: null,
      deleted_at: null,
    }
    const account = { ...row, ...toResponseColumns(toPublicAccount(row)) }
    await database.transaction((trx) => trx.insertInto('accounts').values(account).execute())
    return { account, linkId: links.link_id }
  } finally {
    await database.close()
  }
}

async function readAccounts(location: Location): Promise<AccountRow[]> {
  const database = await openDatabase(location)
  try {
    return await database.read.selectFrom('accounts').selectAll().orderBy('created_at').execute()
  } finally {
    await database.close()
  }
}
