import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import { createRetentionStore, deleteAgedData, type RetentionDays } from './retention-store.ts'

describeOnBothDatabases('Retention', defineTests)

const DAY_MS = 24 * 60 * 60_000
const OFF: RetentionDays = {
  tombstoneDays: undefined,
  endedLinkDays: undefined,
  revokedTokenDays: undefined,
  unusedBundleDays: undefined,
}

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let definitionId: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const sweep = (days: Partial<RetentionDays>, inDays: number) =>
    deleteAgedData(
      {
        retention: createRetentionStore(t.database),
        now: () => Date.now() + inDays * DAY_MS,
      },
      { ...OFF, ...days },
    )
  const accountPath = (account: { integrationAccountId: string }) =>
    `/v1/integration_account/${account.integrationAccountId}`

  it('Retention: removes nothing by default', async () => {
    const account = await t.createAccount(definitionId)
    expectOk(await t.call('DELETE', accountPath(account)))
    await sweep({}, 10_000)
    expectOk(await t.call('GET', accountPath(account)))
  })

  it('Retention: removes tombstones and their history after their days, and no live account', async () => {
    const live = await t.createAccount(definitionId)
    const deleted = await t.createAccount(definitionId)
    expectOk(await t.call('DELETE', accountPath(deleted)))
    await sweep({ tombstoneDays: 30 }, 29)
    assert.equal(expectOk(await t.call('GET', accountPath(deleted))).status, 'deleted')
    await sweep({ tombstoneDays: 30 }, 31)
    expectError(await t.call('GET', accountPath(deleted)), 'integration_account_not_found')
    expectError(
      await t.call('GET', `${accountPath(deleted)}/history`),
      'integration_account_not_found',
    )
    expectOk(await t.call('GET', accountPath(live)))
    const changes = await t.database.read
      .selectFrom('account_changes')
      .select('change_id')
      .where('account_id', '=', deleted.integrationAccountId)
      .execute()
    assert.deepEqual(changes, [])
  })

  it('Retention: removes more tombstones than one batch has', async () => {
    const { integrationAccountId } = await t.createAccount(definitionId)
    await t.database.transaction(async (trx) => {
      const row = await trx
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', integrationAccountId)
        .executeTakeFirstOrThrow()
      for (let index = 0; index < 250; index += 1)
        await trx
          .insertInto('accounts')
          .values({ ...row, account_id: `acc_aged_${index}`, deleted_at: 1 })
          .execute()
    })
    const count = await countRows(t, 'accounts')
    await sweep({ tombstoneDays: 30 }, 0)
    assert.equal(await countRows(t, 'accounts'), count - 250)
  })

  it('Retention: removes revoked and expired links after their days; their accounts stay, with linkId null', async () => {
    const create = async (body = {}) =>
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...body } })).linkId
    const revoked = await create()
    const expired = await create({ canExpire: true, expiresIn: 60 })
    const open = await create()
    const accounts = await Promise.all(
      [revoked, expired, open].map(async (linkId) => {
        const body = {
          integrationDefinitionId: definitionId,
          integrationAccountName: 'a',
          authType: 'Api Key',
          config: { api_key: 'key_that_works' },
        }
        const path = `/v1/integration_account/link/${linkId}`
        return expectCreated(await t.call('POST', path, { body }))
      }),
    )
    expectOk(await t.call('DELETE', `/v1/link/${revoked}`))
    await sweep({ endedLinkDays: 7 }, 6)
    for (const linkId of [revoked, expired]) expectOk(await t.call('GET', `/v1/link/${linkId}`))
    await sweep({ endedLinkDays: 7 }, 8)
    for (const linkId of [revoked, expired]) {
      expectError(await t.call('GET', `/v1/link/${linkId}`), 'link_not_found')
      assert.equal((await t.call('GET', `!/link/${linkId}`)).status, 404)
    }
    expectOk(await t.call('GET', `/v1/link/${open}`))
    const linkIds = await Promise.all(
      accounts.map(async (account) => expectOk(await t.call('GET', accountPath(account))).linkId),
    )
    assert.deepEqual(linkIds, [null, null, open])
    const listed = expectOk(await t.call('GET', '/v1/integration_account'))
    const stored = new Map(
      listed.map((row: { integrationAccountId: string; linkId: string | null }) => [
        row.integrationAccountId,
        row.linkId,
      ]),
    )
    assert.deepEqual(
      accounts.map((account) => stored.get(account.integrationAccountId)),
      [null, null, open],
    )
  })

  it('Retention: removes revoked tokens after those that were created with them, and never those of the owner', async () => {
    const create = async (token: string) =>
      expectCreated(
        await t.call('POST', '/v1/user/token', {
          token,
          body: { name: 'aged', scopes: ['tokens', 'read'] },
        }),
      )
    const parent = await create(t.token)
    const child = await create(parent.token)
    expectOk(await t.call('DELETE', `/v1/user/token/${parent.tokenId}`))
    await sweep({ revokedTokenDays: 7 }, 6)
    expectOk(await t.call('DELETE', `/v1/user/token/${child.tokenId}`))
    await sweep({ revokedTokenDays: 7 }, 8)
    for (const { tokenId } of [parent, child])
      expectError(await t.call('DELETE', `/v1/user/token/${tokenId}`), 'token_not_found')
    const revokeOwner = (revoked_at: number | null) =>
      t.database.transaction((trx) =>
        trx.updateTable('tokens').set({ revoked_at }).where('origin', '=', 'owner').execute(),
      )
    await revokeOwner(1)
    await sweep({ revokedTokenDays: 7 }, 8)
    await revokeOwner(null)
    expectOk(await t.call('GET', '/v1/user'))
  })

  it('Retention: removes bundles that nothing refers to, and no other', async () => {
    const bundles = createBundleStore(t.database)
    const code = Buffer.from('unused bundle')
    const sha256 = hash('sha256', code)
    await t.database.transaction((trx) => bundles.save(trx, sha256, code, Date.now()))
    const deletedDefinition = await t.createDefinition()
    const path = `/v1/integration_definition/${deletedDefinition.integrationDefinitionId}`
    expectOk(await t.call('DELETE', path))
    const count = await countRows(t, 'bundles')
    await sweep({ unusedBundleDays: 7 }, 6)
    assert.equal(await countRows(t, 'bundles'), count)
    await sweep({ unusedBundleDays: 7 }, 8)
    assert.equal(await countRows(t, 'bundles'), count - 1)
    assert.equal(await bundles.code(sha256), undefined)
    await t.createAccount(definitionId)
  })
}
