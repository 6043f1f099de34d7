import assert from 'node:assert/strict'
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

describeOnBothDatabases('Links with limits and allowlists', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let integrationDefinitionId: string | undefined
  before(async () => {
    t = await testContext({ url: await newUrl() })
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const post = (overrides: object) =>
    t.call('POST', '/v1/link', { body: { linkName: 'a', ...overrides } })
  const createLink = async (overrides: object): Promise<string> =>
    expectCreated(await post(overrides)).linkId
  const getLink = async (linkId: string) => expectOk(await t.call('GET', `/v1/link/${linkId}`))
  const addAccount = (linkId: string, overrides: object = {}, token = t.token) =>
    t.call('POST', `/v1/integration_account/link/${linkId}`, {
      body: {
        integrationDefinitionId,
        integrationAccountName: 'a',
        authType: 'Api Key',
        config: { api_key: 'works', base_url: t.stubServer.url },
        ...overrides,
      },
      token,
    })
  const deleteAccount = async ({ integrationAccountId }: Record<string, string>) =>
    expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))

  it('POST /v1/link: 201 with limits and allowlists, which get and list return too', async () => {
    const input = {
      maxAccounts: 1_000_000,
      maxAccountsPerIdentifier: 1,
      allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
      redirectURLs: ['https://app.example.com/connected?tab=1'],
    }
    const link = expectCreated(await post(input))
    const pickPolicy = ({
      maxAccounts,
      maxAccountsPerIdentifier,
      allowedOrigins,
      redirectURLs,
    }: typeof input) => ({ maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectURLs })
    assert.deepEqual(pickPolicy(link), input)
    assert.deepEqual(pickPolicy(await getLink(link.linkId)), input)
    const listed = expectOk(await t.call('GET', '/v1/link')).at(-1)
    assert.deepEqual(listed, link)
  })

  it('POST /v1/link: 201 null and omitted limits and allowlists mean none', async () => {
    const allNull = {
      maxAccounts: null,
      maxAccountsPerIdentifier: null,
      allowedOrigins: null,
      redirectURLs: null,
    }
    for (const input of [allNull, {}, { allowedOrigins: [], redirectURLs: [] }]) {
      const link = expectCreated(await post(input))
      const { maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectURLs } = link
      assert.deepEqual(
        [maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectURLs],
        [null, null, [], []],
      )
    }
  })

  it('POST /v1/link: 400 lists every invalid field and entry, and creates nothing', async () => {
    const before = await countRows(t, 'links')
    for (const name of ['maxAccounts', 'maxAccountsPerIdentifier'])
      for (const value of [0, -1, 1_000_001, 1.5, '3', true, []])
        assert.deepEqual(
          Object.keys(expectError(await post({ [name]: value }), 'validation_failed').errors),
          [name],
        )
    for (const name of ['allowedOrigins', 'redirectURLs'])
      for (const value of [
        'https://a.example',
        {},
        Array.from({ length: 101 }, (_, n) => `https://a${n}.example`),
        Array(2).fill('https://a.example'),
      ])
        assert.deepEqual(
          Object.keys(expectError(await post({ [name]: value }), 'validation_failed').errors),
          [name],
        )
    const { errors } = expectError(
      await post({
        allowedOrigins: ['https://a.example', 'https://*.a.example'],
        redirectURLs: ['http://a.example/', 'https://a.example/', 'https://a.example/#x'],
      }),
      'validation_failed',
    )
    assert.deepEqual(Object.keys(errors), ['allowedOrigins.1', 'redirectURLs.0', 'redirectURLs.2'])
    assert.equal(await countRows(t, 'links'), before)
  })

  it('POST /v1/integration_account/link/{linkId}: 400 link_full before CHECK runs; deleting an account makes room', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    const account = expectCreated(await addAccount(linkId))
    t.stubServer.requests.length = 0
    expectError(await addAccount(linkId), 'link_full')
    assert.deepEqual(t.stubServer.requests, [])
    await deleteAccount(account)
    expectCreated(await addAccount(linkId))
    expectError(await addAccount(linkId), 'link_full')
    expectCreated(await addAccount(await createLink({ maxAccounts: 1 })))
  })

  it('POST /v1/integration_account/link/{linkId}: 400 link_identifier_full per accountIdentifier; accounts without one form one group', async () => {
    const linkId = await createLink({ maxAccountsPerIdentifier: 1, maxAccounts: 3 })
    for (const overrides of [{ accountIdentifier: 'ada' }, { accountIdentifier: 'Ada' }, {}]) {
      expectCreated(await addAccount(linkId, overrides))
      const response = await addAccount(linkId, overrides)
      assert.ok(['link_identifier_full', 'link_full'].includes(response.body.error), response.text)
    }
    expectError(await addAccount(linkId, { accountIdentifier: 'bob' }), 'link_full')
  })

  it('POST /v1/integration_account/link/{linkId}: limits are enforced when the account is stored', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    t.stubServer.serve('/slow/check', async (_request, response) => {
      expectCreated(await addAccount(linkId))
      response.end('{}')
    })
    const config = { api_key: 'works', base_url: `${t.stubServer.url}/slow` }
    expectError(await addAccount(linkId, { config }), 'link_full')
    assert.equal((await getLink(linkId)).integrationAccounts.length, 1)
  })

  it('GET /v1/link/{linkId}: counts attempts, successes and the codes of failures', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    const otherUser = await t.otherUser()
    expectError(await addAccount(linkId, {}, otherUser.token), 'link_not_found')
    const rejectedConfig = { api_key: 'wrong', base_url: t.stubServer.url }
    expectError(await addAccount(linkId, { config: rejectedConfig }), 'credentials_rejected')
    expectCreated(await addAccount(linkId))
    for (let index = 0; index < 2; index += 1) expectError(await addAccount(linkId), 'link_full')
    await t.counters.flush()
    const { counters, refusals } = await getLink(linkId)
    assert.deepEqual(counters, { opens: 0, attempts: 4, successes: 1 })
    assert.deepEqual(refusals, [
      { code: 'link_full', count: 2 },
      { code: 'credentials_rejected', count: 1 },
    ])
  })
}
