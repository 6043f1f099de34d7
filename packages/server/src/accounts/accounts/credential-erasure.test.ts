import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  databaseFile,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('Erasing credentials from disk (SQLite)', () => {
  let t: TestContext
  let integrationDefinitionId: string
  let file: string
  before(async () => {
    t = await testContext()
    file = await databaseFile(t)
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const path = '/v1/integration_account'
  const create = async () => (await t.createAccount(integrationDefinitionId)).integrationAccountId
  const sealedConfig = (id: string): Buffer => {
    const database = new DatabaseSync(file, { readOnly: true })
    const row = database.prepare('SELECT sealed_config FROM accounts WHERE account_id = ?').get(id)
    database.close()
    assert.ok(row?.sealed_config instanceof Uint8Array)
    return Buffer.from(row.sealed_config)
  }
  const isOnDisk = (bytes: Buffer): boolean =>
    [file, `${file}-wal`].some((each) => existsSync(each) && readFileSync(each).includes(bytes))
  const assertErased = async (bytes: Buffer): Promise<void> => {
    const deadline = Date.now() + WITHIN_MS
    while (isOnDisk(bytes) && Date.now() < deadline) await sleep(200)
    assert.equal(isOnDisk(bytes), false, 'the encrypted bytes are still in the file or its WAL')
  }

  it('DELETE /v1/integration_account/{id}: the database file and its WAL soon no longer contain the credentials', async () => {
    const id = await create()
    const bytes = sealedConfig(id)
    assert.equal(isOnDisk(bytes), true)
    expectOk(await t.call('DELETE', `${path}/${id}`))
    await assertErased(bytes)
  })

  it('POST /v1/integration_account/{id}: the database file and its WAL soon no longer contain replaced credentials', async () => {
    const id = await create()
    const bytes = sealedConfig(id)
    const config = { api_key: 'secret-canary', base_url: t.stubServer.url }
    expectOk(await t.call('POST', `${path}/${id}`, { body: { config } }))
    assert.equal(sealedConfig(id).equals(bytes), false)
    await assertErased(bytes)
    expectOk(await t.call('GET', `${path}/${id}`))
  })

  it('a reader in another process delays the erasure only until it finishes', async () => {
    const id = await create()
    const bytes = sealedConfig(id)
    const reader = new DatabaseSync(file, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM accounts').get()
    expectOk(await t.call('DELETE', `${path}/${id}`))
    await sleep(BLOCKED_MS)
    assert.equal(isOnDisk(bytes), true)
    reader.exec('COMMIT')
    reader.close()
    await assertErased(bytes)
  })
})

/** Documented limit: 10 s. A busy machine gets more time. */
const WITHIN_MS = 60_000
/** Longer than the interval at which commits are collected, so that at least one checkpoint meets the reader. */
const BLOCKED_MS = 4_000
