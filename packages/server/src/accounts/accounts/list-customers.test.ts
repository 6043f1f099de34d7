import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { createCustomerStore, findEnd } from './customer-store.ts'

const PATH = '/v1/customer'
/** In the order of their bytes. Each ends a page, so that its cursor is read. */
const IDENTIFIERS = [
  ' ',
  '%2e%2e/%00',
  '../..',
  'a'.repeat(255),
  'customer-4',
  'customer-41',
  'customer/41?q=1&x#y',
  'é',
  '\u202eRTL',
  '\uffee',
  '🦊'.repeat(255),
  '\u{10ffff}\u{10ffff}',
]

describeOnBothDatabases('GET /v1/customer', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let now = Date.parse('2026-11-22T10:00:00.000Z')
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => now })
    const { integrationDefinitionId: id } = await t.createDefinition()
    const create = (accountIdentifier: string) => t.createAccount(id, { accountIdentifier })
    await t.createAccount(id)
    for (const identifier of IDENTIFIERS.toReversed()) await create(identifier)
    now += 60_000
    await create('customer-41')
    const { integrationAccountId } = await create('customer-40')
    await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`)
    const broken = await create('customer-41')
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth' })
        .where('account_id', '=', broken.integrationAccountId as 'acc_1')
        .execute(),
    )
    const other = await t.otherUser()
    const foreign = await t.createDefinition({ token: other.token })
    await t.createAccount(
      foreign.integrationDefinitionId,
      { accountIdentifier: 'foreign' },
      other.token,
    )
  })
  after(() => t.close())

  const list = (query = '', token = t.token) => t.call('GET', `${PATH}${query}`, { token })
  const listIdentifiers = async (query = '') =>
    expectOk(await list(query)).map((one: { accountIdentifier: string }) => one.accountIdentifier)

  it('GET /v1/customer: 200 with the identifiers of live accounts in the order of their bytes', async () => {
    assert.deepEqual(await listIdentifiers(), IDENTIFIERS)
  })

  it('GET /v1/customer: 200 counts the connections of a customer by status, with the first and the last', async () => {
    assert.deepEqual(expectOk(await list('?q=customer-41')), [
      {
        accountIdentifier: 'customer-41',
        connections: 3,
        byStatus: { active: 2, pending: 0, needs_reauth: 1, error: 0 },
        firstAt: '2026-11-22T10:00:00.000Z',
        lastAt: '2026-11-22T10:01:00.000Z',
      },
    ])
  })

  it('GET /v1/customer?q: 200 with the identifiers that begin with it, in the same case', async () => {
    for (const identifier of IDENTIFIERS)
      assert.deepEqual(
        await listIdentifiers(`?q=${encodeURIComponent(identifier)}`),
        IDENTIFIERS.filter((each) => each.startsWith(identifier)),
      )
    assert.deepEqual(await listIdentifiers('?q=customer'), [
      'customer-4',
      'customer-41',
      'customer/41?q=1&x#y',
    ])
    assert.deepEqual(await listIdentifiers('?q=Customer'), [])
  })

  it('GET /v1/customer: 200 in pages, whatever the identifiers contain', async () => {
    const found: string[] = []
    let query = '?limit=1'
    while (query !== '') {
      const response = await list(query)
      found.push(
        ...expectOk(response).map((one: { accountIdentifier: string }) => one.accountIdentifier),
      )
      const next = /<[^>]*(\?[^>]*)>; rel="next"/.exec(String(response.headers.link ?? ''))
      query = next?.[1] ?? ''
    }
    assert.deepEqual(found, IDENTIFIERS)
  })

  it('GET /v1/customer?q&cursor: 200 never leaves the prefix', async () => {
    const cursor = Buffer.from('a').toString('base64url')
    assert.deepEqual(await listIdentifiers(`?q=customer-41&cursor=${cursor}`), ['customer-41'])
    const later = Buffer.from('x').toString('base64url')
    assert.deepEqual(await listIdentifiers(`?q=customer-41&cursor=${later}`), [])
  })

  it('GET /v1/customer: 400 for an empty prefix, a limit of 0, and a cursor of something else', async () => {
    for (const query of [
      '?q=',
      '?limit=0',
      `?cursor=${Buffer.from('a\0b').toString('base64url')}`,
      `?cursor=${Buffer.from('a'.repeat(256)).toString('base64url')}`,
      '?customer=a',
    ])
      expectError(await list(query), 'invalid_parameter')
  })

  it('GET /v1/customer: the workspace of another user is not accessible, and its customers are not listed', async () => {
    const { token } = await t.otherUser()
    expectError(await list(`?workspaceId=${t.workspaceId}`, token), 'workspace_not_accessible')
    assert.deepEqual(expectOk(await list('', token)), [])
  })

  it('lists no customers of a workspace that the access does not cover', async () => {
    const store = createCustomerStore(t.database)
    const page = { workspaceId: t.workspaceId, prefix: '', after: undefined, limit: 5 }
    const { userId } = expectOk(await t.call('GET', '/v1/user'))
    const otherUserId = (await t.otherUser()).userId as typeof userId
    const count = async (access: Parameters<typeof store.list>[0]) =>
      (await store.list(access, page)).length
    assert.equal(await count({ userId, boundWorkspaceId: null }), 5)
    assert.equal(await count({ userId: otherUserId, boundWorkspaceId: null }), 0)
    assert.equal(await count({ userId, boundWorkspaceId: `wsp_${'1'.repeat(26)}` }), 0)
  })

  itRequiresScope(() => t, 'GET', PATH, { scope: 'read' })
}

describe('The end of a prefix', () => {
  it('is the next text that does not begin with it', () => {
    assert.equal(findEnd(''), undefined)
    assert.equal(findEnd('ab'), 'ac')
    assert.equal(findEnd('a\u{10ffff}'), 'b')
    assert.equal(findEnd('\ud7ff'), '\ue000')
    assert.equal(findEnd('\u{10ffff}'), undefined)
  })
})
