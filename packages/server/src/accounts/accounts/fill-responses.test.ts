import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describeOnBothDatabases, TEST_POSTGRES } from '../../../test/postgres.ts'
import { createLog } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import type { SampleRows } from '../../platform/storage/test/sample-rows.ts'
import { insertSampleRows } from '../../platform/storage/test/test-database.ts'
import { type AccountId, type AccountRow, RESPONSE_SCHEMA, stringifyAccount } from './account.ts'
import { toPublicAccount } from './account-row-store.ts'
import { createAccountStore } from './account-store.ts'
import {
  createStoredResponseStore,
  type FillResponsesOptions,
  startFillingResponses,
} from './stored-response-store.ts'

const FAST = { startDelayMs: 0, pauseMs: 0, pauseFactor: 0, repeatMs: 50 }

describeOnBothDatabases('Filling the stored responses of accounts', (newUrl) => {
  let folder: string
  let nodes: Database[]
  let sample: SampleRows
  const getNode = () => nodes[0] as Database
  before(async () => {
    const url = await newUrl()
    folder = await mkdtemp(join(tmpdir(), 'linchpin-fill-'))
    const open = () =>
      openDatabase({ url, file: join(folder, 'linchpin.db'), postgres: TEST_POSTGRES })
    nodes = [await open(), await open()]
    await getNode().migrate()
    sample = await insertSampleRows(getNode())
  })
  after(async () => {
    for (const node of nodes) await node.close()
    await rm(folder, { recursive: true })
  })

  /** Inserts accounts as a version without stored responses does. */
  async function insertAccounts(count: number, change: Partial<AccountRow> = {}) {
    const rows = Array.from({ length: count }, (_, index) => ({
      ...sample.accounts,
      account_id: newId('acc', Date.now()),
      name: `Account ${index}`,
      ...change,
    }))
    for (let at = 0; at < count; at += 100)
      await getNode().transaction((trx) =>
        trx
          .insertInto('accounts')
          .values(rows.slice(at, at + 100))
          .execute(),
      )
    return rows.map((row) => row.account_id)
  }
  const list = () => getNode().read.selectFrom('accounts').selectAll().execute()
  const isMissing = (row: AccountRow) => (row.response_schema ?? 0) < RESPONSE_SCHEMA
  const isUnsearchable = (row: AccountRow) =>
    row.search_text === null &&
    row.deleted_at === null &&
    (row.response_schema ?? 0) <= RESPONSE_SCHEMA
  const start = (node: Database, options: FillResponsesOptions = FAST) => {
    const storedResponses = createStoredResponseStore(node)
    return startFillingResponses({ storedResponses, log: createLog('silent') }, options)
  }
  async function waitUntilFilled(): Promise<void> {
    while ((await list()).some((row) => isMissing(row) || isUnsearchable(row))) await sleep(20)
  }
  function assertCurrent(row: AccountRow): void {
    assert.equal(row.response_json, stringifyAccount(toPublicAccount(row)))
    assert.equal(row.response_schema, RESPONSE_SCHEMA)
  }

  it('stores them for accounts and tombstones of older versions, and for no others', async () => {
    await insertAccounts(600)
    await insertAccounts(1, { deleted_at: 5, public_config: null })
    await insertAccounts(1, { response_json: '{"old":1}', response_schema: RESPONSE_SCHEMA - 1 })
    const current = {
      response_json: '{"kept":1}',
      response_schema: RESPONSE_SCHEMA,
      search_text: 'kept',
    }
    const later = { response_json: '{"later":1}', response_schema: RESPONSE_SCHEMA + 1 }
    // As a node of the version before the text leaves an account that it has renamed.
    await insertAccounts(1, { ...current, search_text: null })
    const unchangedIds = [
      ...(await insertAccounts(1, current)),
      ...(await insertAccounts(1, later)),
    ]
    const job = start(getNode())
    await waitUntilFilled()
    await job.stop()
    const rows = await list()
    const unchanged = rows.filter((row) => unchangedIds.includes(row.account_id))
    assert.deepEqual(unchanged.map((row) => row.response_json).sort(), [
      '{"kept":1}',
      '{"later":1}',
    ])
    const filled = rows.filter((row) => !unchangedIds.includes(row.account_id))
    assert.ok(filled.length > 600)
    for (const row of filled) assertCurrent(row)
    await getNode().transaction((trx) =>
      trx.deleteFrom('accounts').where('account_id', 'in', unchangedIds).execute(),
    )
  })

  it('on two nodes, stores no outdated response while others change the accounts', async () => {
    const ids = await insertAccounts(300)
    const jobs = nodes.map((node) => start(node))
    const accounts = createAccountStore(getNode())
    const access = { userId: sample.users.user_id, boundWorkspaceId: null }
    let count = 0
    const rename = (id: AccountId, name: string, isPreviousVersion: boolean) =>
      getNode().transaction(async (trx) => {
        if (!isPreviousVersion)
          return accounts.updateName(trx, access, id, { name, updatedAt: Date.now() })
        await trx.updateTable('accounts').set({ name }).where('account_id', '=', id).execute()
        return true
      })
    for (const id of [...ids, ...ids]) assert.ok(await rename(id, `${count++}`, count % 3 === 0))
    await waitUntilFilled()
    await Promise.all(jobs.map((job) => job.stop()))
    for (const row of await list()) assertCurrent(row)
  })

  it('skips an account that another transaction is writing', async () => {
    // SQLite has one transaction at a time.
    if (getNode().dialect !== 'postgres') return
    const [id = newId('acc', 0)] = await insertAccounts(1)
    let filling: Promise<void> | undefined
    await getNode().transaction(async (trx) => {
      await trx.updateTable('accounts').set({ name: 'new' }).where('account_id', '=', id).execute()
      filling = createStoredResponseStore(nodes[1] as Database).fill([id])
      await sql`select pg_sleep(0.3)`.execute(trx)
    })
    await filling
    const row = (await list()).find((each) => each.account_id === id)
    assert.deepEqual([row?.name, row?.response_json], ['new', null])
    await createStoredResponseStore(getNode()).fill([id])
  })

  it('ends soon when it is stopped, and continues after a restart', async () => {
    await insertAccounts(400)
    const idle = start(getNode(), { startDelayMs: 60_000 })
    await idle.stop()
    const job = start(getNode(), { ...FAST, pauseMs: 50 })
    while ((await list()).filter(isMissing).length > 380) await sleep(5)
    await job.stop()
    const left = (await list()).filter(isMissing).length
    assert.ok(left > 0, 'it was stopped before the end')
    await sleep(100)
    assert.equal((await list()).filter(isMissing).length, left)
    const next = start(getNode())
    await waitUntilFilled()
    await next.stop()
  })
})
