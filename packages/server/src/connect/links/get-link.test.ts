import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'

const EXTENDED = [
  ...RESPONSE_KEYS.link,
  'counters',
  'expired',
  'integrationAccounts',
  'integrationDefinitions',
  'missingOAuthApps',
  'refusals',
]

for (const listens of [false, true])
  describe(`GET /v1/link/{linkId}${listens ? ', answered directly' : ''}`, () => {
    let t: TestContext
    let now = Date.now()
    let desk: IntegrationDefinition
    let crm: IntegrationDefinition
    before(async () => {
      t = await testContext({ now: () => now, listens })
      const sourceUrl = `${t.stubServer.bundle(createMiniBundle())}?signature=canary#part`
      desk = await t.createDefinition({ sourceUrl })
      now += 1
      crm = await t.createDefinition({ integrationType: 'CRM' })
      const deletedDefinition = await t.createDefinition()
      await t.call(
        'DELETE',
        `/v1/integration_definition/${deletedDefinition.integrationDefinitionId}`,
      )
      await t.createDefinition({ token: (await t.otherUser()).token })
    })
    after(() => t.close())

    const createLink = async (overrides: object = {}) =>
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...overrides } }))
    const getLink = (linkId: string, query = '', token = t.token) =>
      t.call('GET', `/v1/link/${linkId}${query}`, { token })
    const addAccount = async (linkId: string, overrides: object = {}) => {
      now += 1
      const body = {
        integrationDefinitionId: desk.integrationDefinitionId,
        integrationAccountName: 'a',
        authType: 'Api Key',
        config: { api_key: 'works', base_url: t.stubServer.url },
        ...overrides,
      }
      return expectCreated(await t.call('POST', `/v1/integration_account/link/${linkId}`, { body }))
    }

    it('GET /v1/link/{linkId}: 200 with exactly the fields of the extended form', async () => {
      const createdLink = await createLink({ expiresIn: 60, category: ['TICKETING'] })
      const link = expectOk(await getLink(createdLink.linkId))
      expectKeys(link, EXTENDED)
      const {
        expired,
        integrationAccounts,
        integrationDefinitions,
        missingOAuthApps,
        counters,
        refusals,
        ...rest
      } = link
      assert.deepEqual(rest, createdLink)
      assert.deepEqual([counters, refusals], [{ opens: 0, attempts: 0, successes: 0 }, []])
      assert.deepEqual([expired, integrationAccounts, missingOAuthApps], [false, [], []])
      for (const definition of integrationDefinitions)
        expectKeys(definition, RESPONSE_KEYS.definition)
    })

    it('GET /v1/link/{linkId}: both account lists contain the live accounts, without configuration, newest first', async () => {
      const { linkId } = await createLink()
      const other = await createLink()
      const first = await addAccount(linkId)
      const second = await addAccount(linkId)
      const deletedAccount = await addAccount(linkId)
      await t.call('DELETE', `/v1/integration_account/${deletedAccount.integrationAccountId}`)
      await addAccount(other.linkId)
      await t.createAccount(desk.integrationDefinitionId)
      assert.notEqual(first.integrationConfiguration, null)
      const link = expectOk(await getLink(linkId))
      const expected = [second, first].map((account) => ({
        ...account,
        integrationConfiguration: null,
      }))
      assert.deepEqual(link.IntegrationAccount, expected)
      assert.deepEqual(link.integrationAccounts, expected)
      for (const account of link.integrationAccounts) expectKeys(account, RESPONSE_KEYS.account)
    })

    it('GET /v1/link/{linkId}: accountIdentifier filters both account lists', async () => {
      const { linkId } = await createLink()
      const ownAccount = await addAccount(linkId, { accountIdentifier: 'ada & co' })
      await addAccount(linkId, { accountIdentifier: 'ada' })
      await addAccount(linkId)
      const link = expectOk(await getLink(linkId, '?accountIdentifier=ada%20%26%20co'))
      for (const list of [link.IntegrationAccount, link.integrationAccounts])
        assert.deepEqual(list, [{ ...ownAccount, integrationConfiguration: null }])
      const noMatches = expectOk(await getLink(linkId, '?accountIdentifier=unknown'))
      assert.deepEqual([noMatches.IntegrationAccount, noMatches.integrationAccounts], [[], []])
    })

    describe('integrationDefinitions', () => {
      const getAllowedIds = async (overrides: object) => {
        const { linkId } = await createLink(overrides)
        const { integrationDefinitions } = expectOk(await getLink(linkId))
        return integrationDefinitions.map(
          (definition: IntegrationDefinition) => definition.integrationDefinitionId,
        )
      }
      const id = (definition: IntegrationDefinition) => definition.integrationDefinitionId

      it('integrationDefinitions lists all live definitions of the workspace for an unrestricted link', async () => {
        assert.deepEqual(await getAllowedIds({}), [id(desk), id(crm)])
      })

      it('integrationDefinitions lists those in the categories of the link, or its single definition', async () => {
        assert.deepEqual(await getAllowedIds({ category: ['CRM'] }), [id(crm)])
        assert.deepEqual(await getAllowedIds({ category: ['CRM', 'TICKETING'] }), [
          id(desk),
          id(crm),
        ])
        assert.deepEqual(await getAllowedIds({ category: ['HRIS'] }), [])
        const integrationDefinitionId = id(desk)
        assert.deepEqual(await getAllowedIds({ integrationDefinitionId }), [id(desk)])
        assert.deepEqual(await getAllowedIds({ integrationDefinitionId, category: ['CRM'] }), [
          id(desk),
        ])
      })

      it('integrationDefinitions is empty once the single definition of the link is deleted', async () => {
        const { integrationDefinitionId } = await t.createDefinition()
        const { linkId } = await createLink({ integrationDefinitionId })
        expectOk(await t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`))
        assert.deepEqual(expectOk(await getLink(linkId)).integrationDefinitions, [])
      })

      it('integrationDefinitions omits the query of sourceUrl, which may contain a signature', async () => {
        const { linkId } = await createLink({ integrationDefinitionId: id(desk) })
        const response = await getLink(linkId)
        const [definition] = expectOk(response).integrationDefinitions
        assert.deepEqual(definition, { ...desk, sourceUrl: String(desk.sourceUrl).split('?')[0] })
        assert.equal(response.text.includes('canary'), false)
      })
    })

    it('missingOAuthApps lists the definitions that cannot be connected without an OAuth app', async () => {
      const { OAuth2, 'Api Key': apiKey } = MINI_SPEC.auth_specification
      const create = async (auth_specification: object) => {
        now += 1
        const sourceUrl = t.stubServer.bundle(createMiniBundle({ auth_specification }))
        return (await t.createDefinition({ sourceUrl, integrationType: 'AI' }))
          .integrationDefinitionId
      }
      const oauthOnly = await create({ OAuth2 })
      const mixedId = await create({ OAuth2, 'Api Key': apiKey })
      await create({ 'Api Key': apiKey })
      const link = await createLink({ category: ['AI'] })
      const oauthLink = await createLink({ category: ['AI'], preferOAuth: true })
      const otherLink = await createLink({ category: ['CRM'] })
      const getMissing = async ({ linkId }: { linkId: string }) =>
        expectOk(await getLink(linkId)).missingOAuthApps
      assert.deepEqual(await getMissing(link), [oauthOnly])
      assert.deepEqual(await getMissing(oauthLink), [oauthOnly, mixedId])
      assert.deepEqual(await getMissing(otherLink), [])
      await registerOAuthApp(t, { integrationDefinitionId: oauthOnly })
      assert.deepEqual(await getMissing(link), [])
      assert.deepEqual(await getMissing(oauthLink), [mixedId])
    })

    it('GET /v1/link/{linkId}: 200 with expired true from the exact millisecond of expiry', async () => {
      const { linkId, createdAt } = await createLink({ expiresIn: 2 })
      const start = now
      const end = Date.parse(createdAt) + 2_000
      for (const [at, expired] of [
        [end - 1, false],
        [end, true],
        [end + 1, true],
        [end - 1, false],
      ] as const) {
        now = at
        assert.equal(expectOk(await getLink(linkId)).expired, expired)
      }
      now = start
    })

    it('GET /v1/link/{linkId}: expired is never true for a link without expiry, and true for a revoked link', async () => {
      const neverExpiring = await createLink({ expiresIn: 1, canExpire: false })
      const start = now
      now += 86_400_000 * 30
      assert.equal(expectOk(await getLink(neverExpiring.linkId)).expired, false)
      now = start
      expectOk(await t.call('DELETE', `/v1/link/${neverExpiring.linkId}`))
      assert.equal(expectOk(await getLink(neverExpiring.linkId)).expired, true)
    })

    it('GET /v1/link/{linkId}: 404 for foreign and unknown ids alike', async () => {
      const { linkId } = await createLink()
      const { token } = await t.otherUser()
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
      const { message } = expectError(await getLink(linkId, '', token), 'link_not_found')
      expectError(await getLink(linkId, '', await t.createToken({ workspaceId })), 'link_not_found')
      for (const unknown of [
        `lnk_${'0'.repeat(32)}`,
        'lnk_0',
        linkId.toUpperCase(),
        'x'.repeat(300),
      ])
        assert.equal(expectError(await getLink(unknown), 'link_not_found').message, message)
    })

    it('GET /v1/link/{linkId}: neither the path in an error response nor the log contains a complete link id', async () => {
      const { linkId } = await createLink()
      const { token } = await t.otherUser()
      const { path } = expectError(await getLink(linkId, '', token), 'link_not_found')
      assert.equal(path, `/api/v1/link/${linkId.slice(0, 8)}`)
      assert.equal(t.logs.join('').includes(linkId), false)
    })

    it('GET /v1/link/{linkId}: 400 for unknown query parameters and a repeated accountIdentifier', async () => {
      const { linkId } = await createLink()
      for (const query of ['?workspaceId=x', '?accountIdentifier=a&accountIdentifier=b', '?a'])
        expectError(await getLink(linkId, query), 'invalid_parameter')
    })

    itRequiresScope(() => t, 'GET', '/v1/link/lnk_0', { scope: 'read' })
  })
