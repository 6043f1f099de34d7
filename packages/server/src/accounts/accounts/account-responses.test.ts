import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { changeAccountRow, readAccountRow } from '../../../test/account-rows.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { recordQueries } from '../../../test/query-plans/record-queries.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import {
  ACCOUNT_STATUSES,
  type Account,
  type AccountId,
  type AccountRow,
  type PublicAccount,
  RESPONSE_SCHEMA,
  serializeAccount,
  stringifyAccount,
  toResponseColumns,
} from './account.ts'
import { toAccount, toPublicAccount } from './account-row-store.ts'
import { createAccountStore } from './account-store.ts'
import { createRefreshStore } from './token-refresh/refresh-store.ts'

const PATH = '/v1/integration_account'

describeOnBothDatabases('Stored responses of accounts', (newUrl) => {
  let t: TestContext
  let row: AccountRow
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const { integrationDefinitionId } = await t.createDefinition()
    await t.createAccount(String(integrationDefinitionId))
    row = await t.database.read.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
  })
  after(() => t.close())

  const find = (id: AccountId) =>
    t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
  const update = (id: AccountId, change: Partial<AccountRow>) =>
    t.database.transaction((trx) =>
      trx.updateTable('accounts').set(change).where('account_id', '=', id).execute(),
    )
  const insert = async (change: Partial<AccountRow>) => {
    const copy = { ...row, account_id: newId('acc', Date.now()), ...change }
    await t.database.transaction((trx) => trx.insertInto('accounts').values(copy).execute())
    return copy.account_id
  }
  const insertWithResponse = (change: Partial<AccountRow>) => {
    const copy = { ...row, account_id: newId('acc', Date.now()), ...change }
    return insert({ ...copy, ...toResponseColumns(toPublicAccount(copy)) })
  }
  const get = async (id: AccountId) => expectOk(await t.call('GET', `${PATH}/${id}`))
  const getFromList = async (id: AccountId) => {
    const accounts: { integrationAccountId: string }[] = expectOk(
      await t.call('GET', `${PATH}?includeDeleted=true&limit=1000`),
    )
    return accounts.find((account) => account.integrationAccountId === id)
  }

  /** Asserts that the account has a stored response, that the response is correct, and that every read returns it. */
  async function assertStored(id: AccountId): Promise<void> {
    const stored = await find(id)
    const expected = serializeAccount(toPublicAccount(stored))
    assert.equal(stored.response_schema, RESPONSE_SCHEMA)
    assert.equal(stored.response_json, JSON.stringify(expected))
    const reply = await t.call('GET', `${PATH}/${id}`)
    assert.equal(reply.text, stored.response_json)
    assert.deepEqual(await getFromList(id), JSON.parse(JSON.stringify(expected)))
  }

  it('a new account, a renamed one and a tombstone have the response that their serializer gives', async () => {
    const { integrationAccountId: id } = await t.createAccount(row.definition_id)
    await assertStored(id)
    expectOk(
      await t.call('POST', `${PATH}/${id}`, {
        body: { integrationAccountName: 'Ünï "quoted" \u2028' },
      }),
    )
    await assertStored(id)
    expectOk(await t.call('DELETE', `${PATH}/${id}`))
    await assertStored(id)
    assert.match(String((await find(id)).response_json), /"status":"deleted"/)
  })

  it('an account of each kind has the response that its serializer gives', async () => {
    const kinds: Partial<AccountRow>[] = [
      ...ACCOUNT_STATUSES.map((status) => ({ status })),
      { status: 'error', status_reason: 'provider_error' },
      { status: 'needs_reauth', status_reason: 'invalid_grant' },
      { status: 'active', status_reason: 'no_refresh_token', oauth_app_id: newId('oap', 1) },
      { status: 'pending', confirm_hash: new Uint8Array([1]), confirm_until: 1 },
      { account_identifier: 'customer "7"\n\ud83d\ude00', name: '\u0001 \\ / </script>' },
      { public_config: '{"base_url":"https://x.example","n":1,"b":false,"list":["a"],"z":null}' },
      { public_config: null, deleted_at: 5, status: 'error', status_reason: 'invalid_grant' },
    ]
    for (const kind of kinds) await assertStored(await insertWithResponse(kind))
  })

  it('every write of a store updates the stored response', async () => {
    const accounts = createAccountStore(t.database)
    const id = await insertWithResponse({})
    const { userId } = expectOk(await t.call('GET', '/v1/user'))
    const access = { userId, boundWorkspaceId: null }
    const expected: Account = toAccount(await readAccountRow(t.database, id))
    const change = { status: 'needs_reauth', statusReason: 'invalid_grant', updatedAt: 7 } as const
    await t.database.transaction((trx) => accounts.update(trx, access, expected, change))
    await assertStored(id)
    await changeAccountRow(t.database, id, { lease_owner: 'node' })
    const lease = { accountId: id, owner: 'node', version: expected.credentialVersion }
    const refreshes = createRefreshStore(t.database, Date.now)
    const refreshed = { status: 'active', statusReason: null, updatedAt: 8 } as const
    await t.database.transaction((trx) => refreshes.updateWithLease(trx, lease, refreshed))
    await assertStored(id)
    assert.equal((await find(id)).updated_at, 8)
  })

  it('an UPDATE by a version that does not know the response clears it, even within the same millisecond', async () => {
    const changes: Partial<AccountRow>[] = [
      { name: 'Renamed' },
      { status: 'error', status_reason: 'provider_error' },
      { public_config: '{"base_url":"https://other.example"}' },
      { public_config: null, sealed_config: null, deleted_at: 9, updated_at: 9 },
      { auth_type: 'OAuth2' },
      { account_identifier: 'another' },
      { updated_at: 11 },
    ]
    for (const change of changes) {
      const id = await insertWithResponse({})
      await update(id, change)
      const stored = await find(id)
      assert.equal(stored.response_json, null)
      const expected: unknown = JSON.parse(stringifyAccount(toPublicAccount(stored)))
      assert.deepEqual(await get(id), expected)
      assert.deepEqual(await getFromList(id), expected)
    }
  })

  it('an UPDATE of private columns keeps the response', async () => {
    const id = await insertWithResponse({})
    const change = { lease_owner: 'x', lease_until: 1, credential_version: 2, refresh_at: 5 }
    await changeAccountRow(t.database, id, change)
    await assertStored(id)
  })

  it('the response of another schema is ignored', async () => {
    const json = '{"integrationAccountId":"outdated"}'
    for (const schema of [RESPONSE_SCHEMA - 1, RESPONSE_SCHEMA + 1]) {
      const id = await insert({ response_json: json, response_schema: schema })
      assert.equal((await get(id)).integrationAccountId, id)
      assert.ok(await getFromList(id))
    }
  })

  it('accounts inside a link have no configuration, with and without a stored response', async () => {
    const link = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
    const createLinkRow = (overrides: Partial<AccountRow>) => ({
      link_id: link.linkId,
      ...overrides,
    })
    const trap = '{"a":"\\"integrationConfiguration\\":{}","integrationConfiguration":"{}"}'
    const ids = [
      await insertWithResponse(createLinkRow({ created_at: 1 })),
      await insertWithResponse(createLinkRow({ created_at: 2, public_config: trap })),
      await insertWithResponse(
        createLinkRow({ created_at: 2, public_config: '{}', account_identifier: 'x' }),
      ),
    ]
    await insertWithResponse(createLinkRow({ deleted_at: 1 }))
    const assertLinked = async (query: string, expectedIds: readonly AccountId[]) => {
      const linked = expectOk(await t.call('GET', `/v1/link/${link.linkId}${query}`))
      const expected = await Promise.all(
        expectedIds.map(async (id) => ({ ...(await get(id)), integrationConfiguration: null })),
      )
      assert.deepEqual(linked.integrationAccounts, expected.toReversed())
      assert.deepEqual(linked.IntegrationAccount, expected.toReversed())
    }
    await assertLinked('', ids)
    await assertLinked('?accountIdentifier=x', ids.slice(2))
    await assertLinked('?accountIdentifier=', [])
    ids.push(
      await insert(createLinkRow({ created_at: 3, response_json: null, response_schema: null })),
    )
    await assertLinked('', ids)
    // The stored text is not the one that this version writes.
    const json = `{"integrationConfiguration":{ "base_url": "https://secret.example" },"authType":"x"}`
    ids.push(
      await insert(createLinkRow({ created_at: 4, response_json: json, response_schema: 1 })),
    )
    const { text } = await t.call('GET', `/v1/link/${link.linkId}`)
    assert.doesNotMatch(text, /secret\.example/)
  })

  it('an account without a response is serialized when it is read', async () => {
    const id = await insert({ response_json: null, response_schema: null })
    const expected: PublicAccount = toPublicAccount(await find(id))
    assert.deepEqual(await get(id), JSON.parse(stringifyAccount(expected)))
    assert.ok(await getFromList(id))
  })
})

describe('Lists of all accounts (SQLite)', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  it('a list of all accounts reads nothing but the index with the responses', async () => {
    const statements = recordQueries(t.database)
    expectOk(await t.call('GET', `${PATH}?limit=10`))
    statements.stop()
    const list = [...statements.statements].find((each) => each.includes('group_concat'))
    const plan = sql<{ detail: string }>`explain query plan ${sql.raw(list ?? '')}`
    const { rows } = await plan.execute(t.database.read)
    const details = rows.map(({ detail }) => detail).join('\n')
    assert.match(details, /accounts USING COVERING INDEX accounts_live_responses/)
  })
})
