import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { IntegrationAccount } from './account.ts'

describeOnBothDatabases('GET /v1/integration_account', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let first: string
  let second: string
  let linkId: string
  const createdAccounts: IntegrationAccount[] = []
  let tombstone: IntegrationAccount
  before(async () => {
    t = await testContext({ url: await newUrl() })
    first = (await t.createDefinition()).integrationDefinitionId
    second = (await t.createDefinition()).integrationDefinitionId
    linkId = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).linkId
    for (let index = 0; index < 25; index += 1) {
      const body = {
        accountIdentifier: index % 5 === 0 ? 'five & co' : null,
        integrationAccountName: `Account ${index}`,
      }
      createdAccounts.push(await t.createAccount(index % 3 === 0 ? second : first, body))
    }
    const deletedAccount = await t.createAccount(first)
    const path = `/v1/integration_account/${deletedAccount.integrationAccountId}`
    const { revocation: _revocation, ...withoutRevocation } = expectOk(await t.call('DELETE', path))
    tombstone = withoutRevocation
    const otherUser = await t.otherUser()
    const foreignDefinition = await t.createDefinition({ token: otherUser.token })
    await t.createAccount(foreignDefinition.integrationDefinitionId, {}, otherUser.token)
  })
  after(() => t.close())

  const list = (query = '', token = t.token) =>
    t.call('GET', `/v1/integration_account${query}`, { token })
  const filterAccounts = (test: (account: IntegrationAccount, index: number) => boolean) =>
    createdAccounts.filter(test)

  it('GET /v1/integration_account: 200 with a plain array of live accounts, oldest first, as create returned them', async () => {
    const response = await list()
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(response.headers.link, undefined)
    assert.deepEqual(expectOk(response), createdAccounts)
    for (const account of response.body) expectKeys(account, RESPONSE_KEYS.account)
    assert.deepEqual(expectOk(await list(`?workspaceId=${t.workspaceId}`)), createdAccounts)
  })

  it('GET /v1/integration_account: 200 filters by status', async () => {
    assert.deepEqual(expectOk(await list('?status=active')), createdAccounts)
    assert.deepEqual(expectOk(await list('?status=needs_reauth')), [])
    assert.deepEqual(expectOk(await list('?status=deleted')), [tombstone])
    assert.deepEqual(expectOk(await list('?status=active&includeDeleted=true')), createdAccounts)
    expectError(await list('?status=dead'), 'invalid_parameter')
  })

  it('GET /v1/integration_account: 200 filters by any of several statuses', async () => {
    assert.deepEqual(expectOk(await list('?status=active&status=error')), createdAccounts)
    assert.deepEqual(expectOk(await list('?status=error&status=needs_reauth')), [])
    const all = [...createdAccounts, tombstone]
    assert.deepEqual(expectOk(await list('?status=active&status=deleted')), all)
    assert.deepEqual(expectOk(await list('?status=error&status=deleted&limit=5')), [tombstone])
    assert.deepEqual(
      expectOk(await list('?status=active&status=error&accountIdentifier=five%20%26%20co')),
      filterAccounts((_, index) => index % 5 === 0),
    )
    expectError(await list('?status=active&status=dead'), 'invalid_parameter')
  })

  it('GET /v1/integration_account: 200 with the accounts whose name or identifier contains q, in any case, newest first', async () => {
    const newest = (test: (account: IntegrationAccount, index: number) => boolean) =>
      filterAccounts(test).toReversed()
    assert.deepEqual(
      expectOk(await list('?q=ACCOUNT')),
      newest(() => true),
    )
    assert.deepEqual(
      expectOk(await list('?q=unt%202')),
      newest(({ integrationAccountName: name }) => name.startsWith('Account 2')),
    )
    const five = newest((_, index) => index % 5 === 0)
    assert.deepEqual(expectOk(await list('?q=FIVE%20%26')), five)
    assert.deepEqual(expectOk(await list('?q=five&status=active')), five)
    assert.deepEqual(expectOk(await list('?q=five&status=active&status=error')), five)
    assert.deepEqual(
      expectOk(await list(`?q=five&integrationDefinitionId=${second}`)),
      newest((_, index) => index % 15 === 0),
    )
    for (const wildcard of ['%25', '_ccount', '*', 'x'.repeat(100)])
      assert.deepEqual(expectOk(await list(`?q=${wildcard}`)), [], wildcard)
    assert.deepEqual(expectOk(await list('?q=account&status=deleted')), [])
  })

  it('GET /v1/integration_account: 200 pages through the accounts that q finds', async () => {
    const page = await list('?q=five&limit=2')
    assert.equal(page.body.length, 2)
    const next = /<([^>]*)>/.exec(String(page.headers.link))?.[1]?.replace(/^.*\/api/, '')
    const rest = await t.call('GET', String(next).replace('limit=2', 'limit=10'))
    assert.deepEqual(
      [...page.body, ...rest.body],
      filterAccounts((_, index) => index % 5 === 0).toReversed(),
    )
  })

  it('GET /v1/integration_account: q finds an account by its new name', async () => {
    const [account] = createdAccounts
    const path = `/v1/integration_account/${account?.integrationAccountId}`
    const rename = (integrationAccountName: string | undefined) =>
      t.call('POST', path, { body: { integrationAccountName } })
    expectOk(await rename('Ärzte & Söhne'))
    assert.equal(expectOk(await list('?q=%C3%84RZTE')).length, 1)
    assert.equal(expectOk(await list('?q=account%200')).length, 0)
    createdAccounts[0] = expectOk(await rename(account?.integrationAccountName))
    assert.equal(expectOk(await list('?q=account%200')).length, 1)
  })

  it('GET /v1/integration_account: 400 for an empty or long q, and for q in another order', async () => {
    for (const query of [
      'q=',
      `q=${'x'.repeat(101)}`,
      'q=a&order=createdAt',
      'q=a&q=b',
      'q=0%0Afive',
    ])
      expectError(await list(`?${query}`), 'invalid_parameter')
  })

  it('GET /v1/integration_account: 200 with tombstones if includeDeleted is set', async () => {
    assert.deepEqual(expectOk(await list('?includeDeleted=true')), [...createdAccounts, tombstone])
    assert.deepEqual(expectOk(await list('?includeDeleted=false')), createdAccounts)
  })

  it('GET /v1/integration_account: 200 with an empty array for an empty workspace, with and without limit', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    for (const more of ['', '&limit=10', '&includeDeleted=true'])
      assert.equal((await list(`?workspaceId=${workspaceId}${more}`)).text, '[]')
    assert.deepEqual(expectOk(await list('', await t.createToken({ workspaceId }))), [])
  })

  it('GET /v1/integration_account: 200 filters by definition, accountIdentifier and link, alone and combined', async () => {
    const added = expectCreated(
      await t.call('POST', `/v1/integration_account/link/${linkId}`, {
        body: {
          integrationDefinitionId: first,
          integrationAccountName: 'through a link',
          authType: 'Api Key',
          config: { api_key: 'key_that_works' },
        },
      }),
    )
    assert.deepEqual(expectOk(await list(`?linkId=${linkId}`)), [added])
    await t.call('DELETE', `/v1/integration_account/${added.integrationAccountId}`)
    assert.deepEqual(expectOk(await list(`?linkId=${linkId}`)), [])
    const ofSecond = filterAccounts((_, index) => index % 3 === 0)
    assert.deepEqual(expectOk(await list(`?integrationDefinitionId=${second}`)), ofSecond)
    const ofGroup = filterAccounts((_, index) => index % 5 === 0)
    const group = 'accountIdentifier=five%20%26%20co'
    assert.deepEqual(expectOk(await list(`?${group}`)), ofGroup)
    const both = filterAccounts((_, index) => index % 15 === 0)
    assert.deepEqual(expectOk(await list(`?${group}&integrationDefinitionId=${second}`)), both)
    assert.deepEqual(expectOk(await list(`?${group}&linkId=${linkId}`)), [])
  })

  it('GET /v1/integration_account: 200 with an empty array for a filter by an unknown or foreign id', async () => {
    const otherUser = await t.otherUser()
    const foreignDefinition = await t.createDefinition({ token: otherUser.token })
    for (const query of [
      `integrationDefinitionId=${foreignDefinition.integrationDefinitionId}`,
      `integrationDefinitionId=def_${'0'.repeat(26)}`,
      'integrationDefinitionId=nonsense',
      'linkId=nonsense',
      'accountIdentifier=unknown',
      'accountIdentifier=',
    ])
      assert.deepEqual(expectOk(await list(`?${query}`)), [], query)
  })

  it('GET /v1/integration_account: 200 pages of 7 contain each of 25 accounts once; next links keep the filters', async () => {
    for (const [query, expected, pages] of [
      ['limit=7', createdAccounts, 4],
      ['limit=5', createdAccounts, 5],
      ['limit=25', createdAccounts, 1],
      ['limit=1000', createdAccounts, 1],
      ['limit=7&includeDeleted=true', undefined, 4],
      [
        `limit=2&accountIdentifier=five%20%26%20co`,
        filterAccounts((_, index) => index % 5 === 0),
        3,
      ],
    ] as const) {
      const walked = await walk(`/v1/integration_account?${query}`)
      assert.equal(walked.pages, pages, query)
      if (expected !== undefined) assert.deepEqual(walked.accounts, expected)
    }
  })

  it('GET /v1/integration_account: 200 pages do not shift when accounts are created or deleted in between', async () => {
    const firstPage = await list('?limit=10')
    const added = await t.createAccount(first)
    const rest = await walk(getNextPath(firstPage) ?? '')
    assert.deepEqual([...firstPage.body, ...rest.accounts], [...createdAccounts, added])
    await t.call('DELETE', `/v1/integration_account/${added.integrationAccountId}`)
  })

  it('GET /v1/integration_account: 200 a cursor without limit returns all remaining accounts', async () => {
    const next = getNextPath(await list('?limit=20'))?.replace('limit=20&', '')
    assert.deepEqual(expectOk(await t.call('GET', String(next))), createdAccounts.slice(20))
  })

  it('GET /v1/integration_account: 400 for invalid limits, cursors, booleans and parameter names', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=1e2',
      'limit=',
      'limit=7.0',
      'cursor=x',
      'cursor=',
      `cursor=${Buffer.from('1.acc_0').toString('base64url')}`,
      'includeDeleted=1',
      'includeDeleted=',
      'includeDeleted=TRUE',
      'offset=1',
      'limit=1&limit=2',
      'accountIdentifier=%00',
      `accountIdentifier=${'x'.repeat(256)}`,
    ])
      expectError(await list(`?${query}`), 'invalid_parameter')
  })

  it('GET /v1/integration_account: 403 for an inaccessible workspace, whether it exists or not', async () => {
    const { workspaceId } = await t.otherUser()
    for (const id of [workspaceId, `wsp_${'0'.repeat(26)}`, 'nonsense', ''])
      expectError(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'GET', '/v1/integration_account', { scope: 'read' })

  async function walk(start: string) {
    const accounts: IntegrationAccount[] = []
    let pages = 0
    for (let next: string | undefined = start; next !== undefined; pages += 1) {
      const response: Awaited<ReturnType<typeof list>> = await t.call('GET', next)
      accounts.push(...expectOk(response))
      next = getNextPath(response)
    }
    return { accounts, pages }
  }

  function getNextPath(response: Awaited<ReturnType<typeof list>>): string | undefined {
    const { link } = response.headers
    if (link === undefined) return undefined
    const path = /^<http:\/\/localhost:3000\/api([^>]+)>; rel="next"$/.exec(String(link))?.[1]
    assert.ok(path, 'the Link header has the form of RFC 8288')
    return path
  }
}
