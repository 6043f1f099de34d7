import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describeOnBothDatabases('Tags of accounts', defineTests)

const PATH = '/v1/integration_account'

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let definitionId: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const create = (tags?: AnyBody, body: AnyBody = {}): Promise<AnyBody> =>
    t.createAccount(definitionId, { ...body, ...(tags === undefined ? {} : { tags }) })
  const update = async ({ integrationAccountId }: AnyBody, body: AnyBody) =>
    expectOk(await t.call('POST', `${PATH}/${integrationAccountId}`, { body }))
  const list = async (query: string, token = t.token): Promise<AnyBody[]> =>
    expectOk(await t.call('GET', `${PATH}?${query}`, { token }))
  const listIds = async (query: string, token = t.token) =>
    (await list(query, token)).map(({ integrationAccountId }) => integrationAccountId)
  const idsOf = (...accounts: AnyBody[]) => accounts.map((one) => one.integrationAccountId)
  const countTags = async () =>
    (await t.database.read.selectFrom('account_tags').select('key').execute()).length

  it('are returned by every operation, in get link and in events, ordered by key; {} without any', async () => {
    assert.deepEqual((await create()).tags, {})
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
    const tags = { empty: '', plan: 'pro', team: 'ünï: "x"' }
    const account = expectCreated(
      await t.call('POST', `${PATH}/link/${linkId}`, {
        body: {
          integrationDefinitionId: definitionId,
          integrationAccountName: 'a',
          tags,
          authType: 'Api Key',
          config: { api_key: 'k', base_url: t.stubServer.url },
        },
      }),
    )
    const id = account.integrationAccountId
    assert.equal(JSON.stringify(account.tags), '{"empty":"","plan":"pro","team":"ünï: \\"x\\""}')
    assert.deepEqual(expectOk(await t.call('GET', `${PATH}/${id}`)), account)
    assert.deepEqual(await list('tag=plan:pro'), [account])
    assert.deepEqual((await update(account, { integrationAccountName: 'b' })).tags, tags)
    assert.deepEqual((await list('tag=plan:pro'))[0]?.integrationAccountName, 'b')
    const link = expectOk(await t.call('GET', `/v1/link/${linkId}`))
    assert.deepEqual(link.integrationAccounts[0].tags, tags)
    const events = await t.database.read
      .selectFrom('events')
      .select('data')
      .where('subject', '=', id)
      .execute()
    assert.equal(events.length, 2)
    for (const { data } of events) assert.deepEqual(JSON.parse(data).account.tags, tags)
  })

  it('are replaced by an update that has them, and only then', async () => {
    const account = await create({ a: '1', b: '2' })
    assert.deepEqual((await update(account, { tags: { b: '3', c: '4' } })).tags, { b: '3', c: '4' })
    assert.deepEqual((await update(account, { tags: null })).tags, { b: '3', c: '4' })
    assert.deepEqual(await listIds('tag=a:1'), [])
    assert.deepEqual(await listIds('tag=b:2'), [])
    assert.deepEqual(await listIds('tag=c:4'), idsOf(account))
    assert.deepEqual((await update(account, { tags: {} })).tags, {})
    assert.deepEqual(await listIds('tag=c:4'), [])
  })

  it('are refused with other keys, long values and more than 20', async () => {
    const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [index, 'x']))
    const invalid = [
      tooMany,
      ...[{ 'a b': 'x' }, { '': 'x' }, { 'a:b': 'x' }, { ['a'.repeat(65)]: 'x' }],
      ...[{ a: 'x'.repeat(256) }, { a: 1 }, { a: null }, { a: '\0' }, ['a'], 'a'],
    ]
    const account = await create()
    for (const tags of invalid) {
      const path = `${PATH}/${account.integrationAccountId}`
      expectError(await t.call('POST', path, { body: { tags } }), 'validation_failed')
    }
    const largest = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index}`.padEnd(64, '_'), '🜁'.repeat(255)]),
    )
    assert.deepEqual((await update(account, { tags: largest })).tags, largest)
  })

  it('filter the list: all of them, with other filters, in pages', async () => {
    const [first, second, third] = [
      await create({ f: 'x:y', n: '1' }, { accountIdentifier: 'tagged' }),
      await create({ f: 'x:y', n: '2' }),
      await create({ f: 'x:y', n: '1' }, { accountIdentifier: 'tagged' }),
    ]
    assert.deepEqual(await listIds('tag=f:x:y'), idsOf(first, second, third))
    assert.deepEqual(await listIds('tag=f:x:y&tag=n:1'), idsOf(first, third))
    assert.deepEqual(await listIds('tag=n:1&tag=f:x:y&tag=f:x'), [])
    assert.deepEqual(await listIds('tag=n:2&accountIdentifier=tagged'), [])
    assert.deepEqual(await listIds('tag=n:1&accountIdentifier=tagged'), idsOf(first, third))
    assert.deepEqual(await listIds('tag=f:x:y&status=active&includeDeleted=true'), [
      ...idsOf(first, second, third),
    ])
    assert.deepEqual(await listIds('tag=f:x:y&status=deleted'), [])
    const pages: string[] = []
    for (let query = 'tag=f:x:y&limit=1'; query !== ''; ) {
      const response = await t.call('GET', `${PATH}?${query}`)
      pages.push(...expectOk(response).map((one: AnyBody) => one.integrationAccountId))
      query = /\?([^>]*)>/.exec(String(response.headers.link ?? ''))?.[1] ?? ''
    }
    assert.deepEqual(pages, idsOf(first, second, third))
    for (const invalid of ['tag=plan', 'tag=:pro', 'tag=a%20b:c', `${'tag=a:b&'.repeat(6)}`])
      expectError(await t.call('GET', `${PATH}?${invalid}`), 'invalid_parameter')
  })

  it('of another tenant are not found', async () => {
    await create({ shared: 'x' })
    const other = await t.otherUser()
    const definition = await t.createDefinition({ token: other.token })
    const foreign = await t.createAccount(
      definition.integrationDefinitionId,
      { tags: { shared: 'x' } },
      other.token,
    )
    assert.deepEqual(await listIds('tag=shared:x', other.token), idsOf(foreign))
    assert.equal((await list('tag=shared:x')).length, 1)
  })

  it('are removed with the account, also by a statement that does not know them', async () => {
    const before = await countTags()
    const [deleted, erased] = [await create({ a: '1', b: '2' }), await create({ a: '1' })]
    assert.equal(await countTags(), before + 3)
    const path = `${PATH}/${deleted.integrationAccountId}`
    assert.deepEqual(expectOk(await t.call('DELETE', path)).tags, {})
    const id = erased.integrationAccountId
    await t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ deleted_at: 9 }).where('account_id', '=', id).execute(),
    )
    assert.deepEqual(expectOk(await t.call('GET', `${PATH}/${id}`)).tags, {})
    assert.equal(await countTags(), before)
  })
}
