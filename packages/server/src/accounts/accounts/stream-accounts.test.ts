import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import { toResponseColumns } from './account.ts'
import { toPublicAccount } from './account-row-store.ts'

const MANY = 3_000

describeOnBothDatabases('GET /v1/integration_account without limit', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let now = Date.now()
  let ids: string[]
  before(async () => {
    t = await testContext({
      now: () => now,
      url: await newUrl(),
    })
    const { integrationDefinitionId } = await t.createDefinition()
    await t.createAccount(String(integrationDefinitionId))
    ids = await insertCopies()
  })
  after(() => t.close())

  it('GET /v1/integration_account without limit: streams 3,000 accounts, each once, oldest first', async () => {
    const accounts: { integrationAccountId: string }[] = expectOk(
      await t.call('GET', '/v1/integration_account'),
    )
    assert.deepEqual(
      accounts.map(({ integrationAccountId }) => integrationAccountId),
      ids,
    )
  })

  it('GET /v1/integration_account without limit: other work gets a turn of the event loop between two queries', async () => {
    let turnCount = 0
    let isDone = false
    const count = () => {
      turnCount += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    expectOk(await t.call('GET', '/v1/integration_account'))
    isDone = true
    // One query reads 250 accounts.
    assert.ok(turnCount >= MANY / 250 - 1, `${turnCount} turns`)
  })

  it('GET /v1/integration_account without limit: a slow client on a real socket receives the complete list', async () => {
    const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${url}/api/v1/integration_account`, {
      headers: { authorization: `Bearer ${t.token}` },
    })
    const parts: Uint8Array[] = []
    for await (const part of response.body ?? []) {
      parts.push(part)
      if (parts.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    assert.equal(JSON.parse(Buffer.concat(parts).toString()).length, ids.length)
  })

  it('GET /v1/integration_account without limit: omits accounts created after the request started', async () => {
    const later = now
    now -= 1_000_000
    const accounts = expectOk(await t.call('GET', '/v1/integration_account'))
    assert.equal(accounts.length, ids.length - MANY / 2)
    now = later
  })

  /** Inserts copies of the account: half of them much older than the other half, many within one millisecond. */
  async function insertCopies(): Promise<string[]> {
    const row = await t.database.read.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: MANY }, (_, index) => {
      const at = index < MANY / 2 ? now - 2_000_000 + Math.floor(index / 10) : now
      const copy = { ...row, account_id: newId('acc', at), created_at: at }
      // Some have no stored response, as if an older version had stored them.
      return index % 700 === 0
        ? { ...copy, response_json: null, response_schema: null }
        : { ...copy, ...toResponseColumns(toPublicAccount(copy)) }
    })
    await t.database.transaction(async (trx) => {
      await trx.deleteFrom('accounts').execute()
      for (let at = 0; at < rows.length; at += 100)
        await trx
          .insertInto('accounts')
          .values(rows.slice(at, at + 100))
          .execute()
    })
    return rows
      .sort((a, b) => a.created_at - b.created_at || (a.account_id < b.account_id ? -1 : 1))
      .map((each) => each.account_id)
  }
}
