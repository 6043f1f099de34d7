import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'

const ACCOUNTS = 50_000

describeOnBothDatabases('A link with 50,000 accounts', (newUrl) => {
  let t: TestContext
  let linkId: string
  let newest: string[]
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const { integrationDefinitionId } = await t.createDefinition({})
    linkId = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).linkId
    const account = expectCreated(
      await t.call('POST', `/v1/integration_account/link/${linkId}`, {
        body: {
          integrationDefinitionId,
          integrationAccountName: 'a',
          authType: 'Api Key',
          config: { api_key: 'works', base_url: t.stubServer.url },
        },
      }),
    )
    newest = await copyAccount(t, account.integrationAccountId)
  })
  after(() => t.close())

  const idsOf = (accounts: { integrationAccountId: string }[]) =>
    accounts.map(({ integrationAccountId }) => integrationAccountId)

  it('contains the 100 newest of them, and refers to the others', async () => {
    const response = await t.call('GET', `/v1/link/${linkId}`)
    const link = expectOk(response)
    assert.deepEqual(idsOf(link.IntegrationAccount), newest.slice(0, 100))
    assert.deepEqual(link.integrationAccounts, link.IntegrationAccount)
    const next = findNext(response.headers.link)
    assert.deepEqual(idsOf(expectOk(await t.call('GET', next ?? ''))), newest.slice(100, 200))
  })

  it('leads to all of them, newest first, with the Link header of each page', async () => {
    const link = await t.call('GET', `/v1/link/${linkId}`)
    const found = idsOf(expectOk(link).IntegrationAccount)
    let next = findNext(link.headers.link)?.replace('limit=100', 'limit=1000')
    while (next !== undefined) {
      const page = await t.call('GET', next)
      found.push(...idsOf(expectOk(page)))
      next = findNext(page.headers.link)
    }
    assert.equal(found.length, ACCOUNTS + 1)
    assert.equal(new Set(found).size, found.length)
    assert.deepEqual(found.slice(0, newest.length), newest)
  })

  it('appears with as many in the list of links', async () => {
    for (const query of ['', '?limit=1']) {
      const [link] = expectOk(await t.call('GET', `/v1/link${query}`))
      assert.deepEqual(idsOf(link.IntegrationAccount), newest.slice(0, 100))
    }
  })

  it('has no accounts and no Link header with accounts=false', async () => {
    const response = await t.call('GET', `/v1/link/${linkId}?accounts=false`)
    const link = expectOk(response)
    assert.deepEqual([link.IntegrationAccount, link.integrationAccounts], [undefined, undefined])
    assert.equal(response.headers.link, undefined)
    const [listed] = expectOk(await t.call('GET', '/v1/link?accounts=false'))
    assert.equal(listed.IntegrationAccount, undefined)
  })

  it('is read in less than 50 ms of the main thread', async () => {
    for (const path of [`/v1/link/${linkId}`, '/v1/link']) {
      let least = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 20 && least >= 50; attempt += 1) {
        const start = process.threadCpuUsage()
        const response = await t.app.inject({
          url: `/api${path}`,
          headers: { authorization: `Bearer ${t.token}` },
        })
        const { user, system } = process.threadCpuUsage(start)
        assert.equal(response.statusCode, 200)
        assert.ok(response.payload.length < 200_000)
        least = Math.min(least, (user + system) / 1_000)
      }
      assert.ok(least < 50, `${path}: ${least} ms`)
    }
  })
})

/** The path of the next page, behind `/api`. */
function findNext(link: unknown): string | undefined {
  return /\/api([^>]+)>; rel="next"$/.exec(String(link))?.[1]
}

/** Copies an account, each copy a millisecond younger than the one before. Returns the IDs of the newest ones, newest first. */
async function copyAccount({ database }: TestContext, accountId: string): Promise<string[]> {
  await database.transaction(async (trx) => {
    const row = await trx
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', accountId as AccountId)
      .executeTakeFirstOrThrow()
    const columns = Object.keys(row)
    const values = columns.map((column) => {
      if (column === 'account_id') return sql`'acc_01zzzzzzzzzzzzzzzzzzz' || (n + 10000)`
      if (column === 'created_at') return sql`created_at + n`
      return column.startsWith('response_') ? sql`null` : sql.ref(column)
    })
    await sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(ACCOUNTS)})
      insert into accounts (${sql.join(columns.map((column) => sql.ref(column)))})
      select ${sql.join(values)} from accounts, numbers where account_id = ${accountId}`.execute(
      trx,
    )
  })
  return Array.from(
    { length: 200 },
    (_, index) => `acc_01zzzzzzzzzzzzzzzzzzz${ACCOUNTS + 10_000 - index}`,
  )
}
