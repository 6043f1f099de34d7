import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  databaseBytes,
  databaseFile,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { AccountId } from './account.ts'

describeOnBothDatabases('DELETE /v1/integration_account/{integrationAccountId}', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const remove = (id: string, token = t.token) =>
    t.call('DELETE', `/v1/integration_account/${id}`, { token })

  it('DELETE /v1/integration_account/{id}: 200 with the tombstone, without configuration; repeated calls return the same', async () => {
    const config = { api_key: 'key_that_works', base_url: t.stubServer.url }
    const account = await t.createAccount(integrationDefinitionId, {
      config,
      accountIdentifier: 'me',
    })
    const id = account.integrationAccountId
    const tombstone = expectOk(await remove(id))
    expectKeys(tombstone, [...RESPONSE_KEYS.account, 'revocation'])
    const { deleted, updatedAt } = tombstone
    assert.match(deleted, ISO_TIMESTAMP)
    assert.equal(updatedAt, deleted)
    assert.deepEqual(tombstone, {
      ...account,
      integrationConfiguration: null,
      status: 'deleted',
      statusSince: deleted,
      deleted,
      updatedAt,
      revocation: null,
    })
    assert.deepEqual(expectOk(await remove(id)), tombstone)
    assert.deepEqual(await listAuditActions(t, id), ['account.created', 'account.deleted'])
  })

  it('DELETE /v1/integration_account/{id}: erases the configuration from the live database', async () => {
    const result = { status: true }
    const config = { api_key: 'a key', base_url: 'canary-public', mode: 'answer', answer: result }
    const account = await t.createAccount(integrationDefinitionId, { config })
    const before = await sealedConfig(account.integrationAccountId)
    assert.ok(before !== null && before.byteLength > 20)
    const isFile = t.database.dialect === 'sqlite'
    if (isFile) assert.ok((await databaseBytes(t)).includes('canary-public'))
    expectOk(await remove(account.integrationAccountId))
    assert.equal(await sealedConfig(account.integrationAccountId), null)
    if (!isFile) return
    // The free pages must not contain it either. Checkpoint the WAL first, as the service does within seconds.
    const databaseContent = await readFilesAfterCheckpoint()
    assert.ok(databaseContent.includes(account.integrationAccountId))
    assert.equal(databaseContent.includes(Buffer.from(before)), false)
    assert.equal(databaseContent.includes('canary-public'), false)
  })

  it('DELETE /v1/integration_account/{id}: simultaneous requests return the same tombstone and write one audit event', async () => {
    const account = await t.createAccount(integrationDefinitionId)
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => remove(account.integrationAccountId)),
    )
    assert.equal(new Set(responses.map((response) => JSON.stringify(expectOk(response)))).size, 1)
    const actions = await listAuditActions(t, account.integrationAccountId)
    assert.deepEqual(actions, ['account.created', 'account.deleted'])
  })

  it('DELETE /v1/integration_account/{id}: the status of the tombstone is deleted, here and in later reads', async () => {
    const account = await t.createAccount(integrationDefinitionId)
    const id = account.integrationAccountId
    assert.equal(account.status, 'active')
    const { status, statusReason } = expectOk(await remove(id))
    assert.deepEqual([status, statusReason], ['deleted', null])
    assert.equal(expectOk(await t.call('GET', `/v1/integration_account/${id}`)).status, 'deleted')
  })

  it('DELETE /v1/integration_account/{id}: succeeds while the provider is down', async () => {
    const config = { api_key: 'key_that_works', base_url: t.stubServer.url }
    const account = await t.createAccount(integrationDefinitionId, { config })
    t.stubServer.requests.length = 0
    expectOk(await remove(account.integrationAccountId))
    assert.deepEqual(t.stubServer.requests, [])
  })

  it('DELETE /v1/integration_account/{id}: 404 for foreign and unknown ids alike, and the account stays', async () => {
    const account = await t.createAccount(integrationDefinitionId)
    const id = account.integrationAccountId
    const { token } = await t.otherUser()
    const { message } = expectError(await remove(id, token), 'integration_account_not_found')
    for (const unknown of [`acc_${'0'.repeat(26)}`, 'nonsense', 'x'.repeat(300)])
      assert.equal(
        expectError(await remove(unknown), 'integration_account_not_found').message,
        message,
      )
    assert.deepEqual(expectOk(await t.call('GET', `/v1/integration_account/${id}`)), account)
  })

  it('DELETE /v1/integration_account/{id}: 400 for an unknown query parameter', async () => {
    expectError(await remove('acc_0?force=true'), 'invalid_parameter')
  })

  itRequiresScope(() => t, 'DELETE', '/v1/integration_account/acc_0', { scope: 'accounts:write' })

  async function sealedConfig(id: AccountId): Promise<Uint8Array | null> {
    const { sealed_config } = await t.database.read
      .selectFrom('accounts')
      .select('sealed_config')
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    return sealed_config
  }

  /** Runs an SQLite checkpoint on a separate connection, which also truncates the WAL. */
  async function readFilesAfterCheckpoint(): Promise<Buffer> {
    const file = await databaseFile(t)
    // Reads of one event-loop turn share a transaction, and the WAL cannot be truncated while it is open.
    await new Promise((resolve) => setImmediate(resolve))
    const other = new DatabaseSync(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
    return databaseBytes(t)
  }
}
