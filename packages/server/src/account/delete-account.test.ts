import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  auditOf,
  databaseBytes,
  databaseFile,
  fine,
  hasKeys,
  ISO,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'

describe('DELETE /v1/integration_account/{integrationAccountId}', () => {
  promises(() => undefined)
})

describePostgres('DELETE /v1/integration_account/{…} on PostgreSQL', (server) => {
  promises(() => server().createDatabase('delete_account'))
})

function promises(url: () => Promise<string> | undefined): void {
  let t: World
  let integrationDefinitionId: string
  before(async () => {
    const database = await url()
    t = await startWorld(database === undefined ? {} : { url: database })
    integrationDefinitionId = String((await t.define()).integrationDefinitionId)
  })
  after(() => t.close())

  const remove = (id: string | undefined, token = t.token) =>
    t.call('DELETE', `/v1/integration_account/${id}`, { token })

  it('200: answers the tombstone, without configuration; repeating it answers the same', async () => {
    const config = { api_key: 'key_that_works', base_url: t.origin.url }
    const made = await t.connect(integrationDefinitionId, { config, accountIdentifier: 'me' })
    const id = String(made.integrationAccountId)
    const tombstone = fine(await remove(id))
    hasKeys(tombstone, [...KEYS.account, 'revocation'])
    const { deleted, updatedAt } = tombstone
    assert.match(deleted, ISO)
    assert.equal(updatedAt, deleted)
    assert.deepEqual(tombstone, {
      ...made,
      integrationConfiguration: null,
      deleted,
      updatedAt,
      revocation: null,
    })
    assert.deepEqual(fine(await remove(id)), tombstone)
    assert.deepEqual(await auditOf(t, id), ['account.created', 'account.deleted'])
  })

  it('erases the configuration from the live database', async () => {
    const answer = { status: true }
    const config = { api_key: 'a key', base_url: 'canary-public', mode: 'answer', answer }
    const made = await t.connect(integrationDefinitionId, { config })
    const before = await sealedConfig(made.integrationAccountId)
    assert.ok(before !== null && before.byteLength > 20)
    const isFile = t.database.dialect === 'sqlite'
    if (isFile) assert.ok((await databaseBytes(t)).includes('canary-public'))
    fine(await remove(made.integrationAccountId))
    assert.equal(await sealedConfig(made.integrationAccountId), null)
    if (!isFile) return
    // Not even in free pages: the log is written back first, as the service does a few seconds later.
    const everything = await afterCheckpoint()
    assert.ok(everything.includes(String(made.integrationAccountId)))
    assert.equal(everything.includes(Buffer.from(before)), false)
    assert.equal(everything.includes('canary-public'), false)
  })

  it('answers one tombstone to requests that come at once, and one line in the audit trail', async () => {
    const made = await t.connect(integrationDefinitionId)
    const answers = await Promise.all([1, 2, 3, 4].map(() => remove(made.integrationAccountId)))
    assert.equal(new Set(answers.map((answer) => JSON.stringify(fine(answer)))).size, 1)
    const actions = await auditOf(t, String(made.integrationAccountId))
    assert.deepEqual(actions, ['account.created', 'account.deleted'])
  })

  it('needs the provider for nothing', async () => {
    const config = { api_key: 'key_that_works', base_url: t.origin.url }
    const made = await t.connect(integrationDefinitionId, { config })
    t.origin.requests.length = 0
    fine(await remove(made.integrationAccountId))
    assert.deepEqual(t.origin.requests, [])
  })

  it('404: foreign and unknown ids alike, and the account lives on', async () => {
    const made = await t.connect(integrationDefinitionId)
    const id = String(made.integrationAccountId)
    const { token } = await t.stranger()
    const { message } = refused(await remove(id, token), 'integration_account_not_found')
    for (const unknown of [`acc_${'0'.repeat(26)}`, 'nonsense', 'x'.repeat(300)])
      assert.equal(refused(await remove(unknown), 'integration_account_not_found').message, message)
    assert.deepEqual(fine(await t.call('GET', `/v1/integration_account/${id}`)), made)
  })

  it('400: takes no query', async () => {
    refused(await remove('acc_0?force=true'), 'invalid_parameter')
  })

  itGuards(() => t, 'DELETE', '/v1/integration_account/acc_0', { scope: 'accounts:write' })

  async function sealedConfig(id: string | undefined): Promise<Uint8Array | null> {
    const { sealed_config } = await t.database.read
      .selectFrom('accounts')
      .select('sealed_config')
      .where('account_id', '=', String(id))
      .executeTakeFirstOrThrow()
    return sealed_config
  }

  /** A checkpoint of SQLite from a connection of its own, which also empties the log. */
  async function afterCheckpoint(): Promise<Buffer> {
    const file = await databaseFile(t)
    // Reads of one turn share a transaction, and the log stays while it is open.
    await new Promise((resolve) => setImmediate(resolve))
    const other = new DatabaseSync(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
    return databaseBytes(t)
  }
}
