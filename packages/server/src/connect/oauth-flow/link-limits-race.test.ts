import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, testContext } from '../../../test/test-context.ts'
import type { LinkId } from '../links/link.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from './test/stub-provider-context.ts'

describeOnBothDatabases('the limits of a link under concurrent use', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  let keyDefinitionId: string | undefined
  before(async () => {
    t = await testContext({ provider: true, url: await newUrl() })
    keyDefinitionId = (await t.createDefinition()).integrationDefinitionId
    t.respondToToken = respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })
  })
  after(() => t.close())

  const createLink = async (overrides: object): Promise<string> =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...overrides } }))
      .linkId
  /** Adds an account with an API key; returns `added` or the error. */
  const addWithApiKey = async (linkId: string, accountIdentifier: string | undefined) => {
    const body = {
      integrationDefinitionId: keyDefinitionId,
      integrationAccountName: 'a',
      authType: 'Api Key',
      config: { api_key: 'works', base_url: t.stubServer.url },
      ...(accountIdentifier === undefined ? {} : { accountIdentifier }),
    }
    const response = await t.call('POST', `/v1/integration_account/link/${linkId}`, { body })
    return response.status === 201 ? 'added' : response.body.error
  }
  /** Starts a session; returns a function that calls its callback. Every second session needs confirmation. */
  const addWithOAuth = async (linkId: string, index: number, accountIdentifier?: string) => {
    const confirm = index % 2 === 0
    const overrides = accountIdentifier === undefined ? {} : { accountIdentifier }
    const state = await t.begin(await t.start({ linkId, confirm, ...overrides }))
    return async () => {
      const { success, error } = getReturnParams(
        await t.callback({ state, code: 'c', iss: ISSUER }),
      )
      return success === 'true' ? 'added' : String(error)
    }
  }
  const listLiveIdentifiers = async (linkId: LinkId) => {
    const rows = await t.database.read
      .selectFrom('accounts')
      .select('account_identifier')
      .where('link_id', '=', linkId)
      .where('deleted_at', 'is', null)
      .execute()
    return rows.map((row) => row.account_identifier)
  }
  const countOutcomes = (outcomes: readonly string[]) =>
    Object.fromEntries(
      Map.groupBy(outcomes, (outcome) => outcome)
        .entries()
        .map(([outcome, all]) => [outcome, all.length]),
    )

  it('store exactly 3 of 50 accounts, API keys and OAuth mixed, when maxAccounts is 3', async () => {
    const linkId = await createLink({ maxAccounts: 3 })
    const callbacks: (() => Promise<string>)[] = []
    for (let index = 0; index < 25; index += 1) callbacks.push(await addWithOAuth(linkId, index))
    const keys = Array.from({ length: 25 }, () => () => addWithApiKey(linkId, undefined))
    const operations = keys.flatMap((key, index) => [key, callbacks[index] ?? key])
    const outcomes = await Promise.all(operations.map((operation) => operation()))
    assert.deepEqual(countOutcomes(outcomes), { added: 3, link_full: 47 })
    assert.equal((await listLiveIdentifiers(linkId as LinkId)).length, 3)
  })

  it('store exactly 40 of 50 accounts when maxAccounts is 40: no request fails below the limit', async () => {
    const linkId = await createLink({ maxAccounts: 40 })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => addWithApiKey(linkId, undefined)),
    )
    assert.deepEqual(countOutcomes(outcomes), { added: 40, link_full: 10 })
    assert.equal((await listLiveIdentifiers(linkId as LinkId)).length, 40)
  })

  it('reject no account for 50 links with a limit of one each', async () => {
    const links = await Promise.all(
      Array.from({ length: 50 }, () => createLink({ maxAccounts: 1 })),
    )
    const outcomes = await Promise.all(links.map((linkId) => addWithApiKey(linkId, undefined)))
    assert.deepEqual(countOutcomes(outcomes), { added: 50 })
  })

  it('store exactly 2 accounts for each identifier, and 2 without one', async () => {
    const linkId = await createLink({ maxAccountsPerIdentifier: 2 })
    const names = ['ada', 'bob', undefined]
    const callbacks: (() => Promise<string>)[] = []
    for (let index = 0; index < 12; index += 1)
      callbacks.push(await addWithOAuth(linkId, index, names[index % 3]))
    const keys = Array.from({ length: 18 }, (_, n) => () => addWithApiKey(linkId, names[n % 3]))
    const outcomes = await Promise.all([...callbacks, ...keys].map((operation) => operation()))
    assert.deepEqual(countOutcomes(outcomes), { added: 6, link_identifier_full: 24 })
    const groups = countOutcomes((await listLiveIdentifiers(linkId as LinkId)).map(String))
    assert.deepEqual(groups, { ada: 2, bob: 2, null: 2 })
  })
}
