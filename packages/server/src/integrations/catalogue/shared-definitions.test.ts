import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { buildVersion, createSmallCatalogue } from '../../../test/small-catalogue.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const DEFINITION = '/v1/integration_definition'

describeOnBothDatabases('catalogue definitions in a workspace', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  before(async () => {
    const catalogue = await createSmallCatalogue(
      await Promise.all([
        buildVersion('desk', '1.0.0'),
        buildVersion('desk', '1.1.0', { path: '/v2' }),
        buildVersion('mail', '1.0.0'),
      ]),
    )
    const database = await newUrl()
    t = await testContext({ catalogue, ...(database && { url: database }) })
  })
  after(() => t.close())
  const list = async (token = t.token, query = '') =>
    expectOk(await t.call('GET', DEFINITION + query, { token }))
  const findDesk = async (token = t.token) =>
    (await list(token)).find(({ key }: { key: string }) => key === 'desk')

  it('are visible in every workspace as its own, without copies', async () => {
    const otherUser = await t.otherUser()
    const rows = await countRows(t, 'definitions')
    for (const { token, workspaceId } of [t, otherUser]) {
      const definitions = await list(token)
      assert.deepEqual(
        definitions.map(({ key }: { key: string }) => key),
        ['desk', 'mail'].toSorted((a, b) =>
          findId(definitions, a) < findId(definitions, b) ? -1 : 1,
        ),
      )
      for (const definition of definitions) {
        expectKeys(definition, RESPONSE_KEYS.listedDefinition)
        assert.equal(definition.workspaceId, workspaceId)
        assert.equal(definition.releaseStage.key, 'ALPHA')
      }
    }
    assert.equal(await countRows(t, 'definitions'), rows)
    assert.equal(rows, 2)
  })

  it('are listed with their newest version, URL and icon', async () => {
    const { integrationDefinitionId: id, ...deskDefinition } = await findDesk()
    assert.equal(deskDefinition.version, '1.1.0')
    assert.equal(deskDefinition.sourceUrl, 'http://localhost:3000/catalogue/desk/1.1.0/index.js')
    assert.equal(deskDefinition.icon, 'http://localhost:3000/catalogue/icons/desk.svg')
    assert.deepEqual(deskDefinition.integrationType, { key: 'SUPPORT', name: 'Support' })
    const extended = expectOk(await t.call('GET', `${DEFINITION}/${id}`))
    assert.equal(extended.isLatest, true)
    assert.equal(extended.latestVersion, '1.1.0')
    assert.equal(extended.latestVersionSource, deskDefinition.sourceUrl)
    const spec = expectOk(await t.call('GET', `${DEFINITION}/${id}/spec`))
    assert.deepEqual(Object.keys(spec.auth_specification), ['Api Key'])
  })

  it('are filtered by category and by a named accessible workspace', async () => {
    assert.equal((await list(t.token, '?category=SUPPORT')).length, 2)
    assert.equal((await list(t.token, '?category=CRM')).length, 0)
    const { integrationDefinitionId: id } = await findDesk()
    const second = expectCreated(await t.call('POST', '/v1/workspace')).workspaceId
    const scopedDefinition = expectOk(
      await t.call('GET', `${DEFINITION}/${id}?workspaceId=${second}`),
    )
    assert.equal(scopedDefinition.workspaceId, second)
    assert.equal(expectOk(await t.call('GET', `${DEFINITION}/${id}`)).workspaceId, t.workspaceId)
    const bound = await t.createToken({ workspaceId: second })
    assert.equal((await findDesk(bound)).workspaceId, second)
    const { workspaceId } = await t.otherUser()
    expectError(
      await t.call('GET', `${DEFINITION}/${id}?workspaceId=${workspaceId}`),
      'workspace_not_accessible',
    )
    expectError(
      await t.call('GET', `${DEFINITION}/${id}?category=CRM`),
      'integration_definition_not_found',
    )
  })

  it('are paginated together with custom definitions', async () => {
    const otherUser = await t.otherUser()
    const customDefinition = await t.createDefinition({ token: otherUser.token, name: 'desk' })
    const all = await list(otherUser.token)
    assert.deepEqual(new Set(all.map(({ key }: { key: string }) => key)), new Set(['desk', 'mail']))
    assert.equal(all.length, 3)
    assert.ok(
      all.some(
        (item: typeof customDefinition) =>
          item.integrationDefinitionId === customDefinition.integrationDefinitionId,
      ),
    )
    const listedIds: string[] = []
    let next: string | undefined = `${DEFINITION}?limit=1`
    while (next !== undefined) {
      const response = await t.call('GET', next, { token: otherUser.token })
      listedIds.push(
        ...expectOk(response).map((item: typeof customDefinition) => item.integrationDefinitionId),
      )
      next = /<[^>]*\/api(\/[^>]+)>/.exec(String(response.headers.link ?? ''))?.[1]
    }
    assert.deepEqual(
      listedIds,
      all.map((item: typeof customDefinition) => item.integrationDefinitionId),
    )
  })

  it('can have accounts and links in each workspace', async () => {
    const otherUser = await t.otherUser()
    const { integrationDefinitionId: id } = await findDesk()
    t.stubServer.serve('/v2', (_request, response) => response.end('{}'))
    const config = { api_key: 'key', base_url: t.stubServer.url }
    const account = await t.createAccount(id, { config }, otherUser.token)
    assert.equal(account.workspaceId, otherUser.workspaceId)
    const accounts = expectOk(await t.call('GET', '/v1/integration_account'))
    assert.deepEqual(accounts, [])
    const link = expectCreated(
      await t.call('POST', '/v1/link', { body: { linkName: 'all' }, token: otherUser.token }),
    )
    const linkDetails = expectOk(
      await t.call('GET', `/v1/link/${link.linkId}`, { token: otherUser.token }),
    )
    assert.ok(linkDetails.integrationDefinitions.length >= 2)
    const body = {
      integrationDefinitionId: id,
      integrationAccountName: 'a',
      authType: 'Api Key',
      config,
    }
    const accountThroughLink = expectCreated(
      await t.call('POST', `/v1/integration_account/link/${link.linkId}`, {
        body,
        token: otherUser.token,
      }),
    )
    assert.equal(accountThroughLink.linkId, link.linkId)
  })

  it('cannot be deleted with any token', async () => {
    const { integrationDefinitionId: id } = await findDesk()
    expectError(await t.call('DELETE', `${DEFINITION}/${id}`), 'definition_from_catalogue')
    const readOnly = await t.createToken({ scopes: ['read'] })
    expectError(
      await t.call('DELETE', `${DEFINITION}/${id}`, { token: readOnly }),
      'insufficient_scope',
    )
  })

  it('belong to a workspace that is never disclosed', async () => {
    const workspaces = expectOk(await t.call('GET', '/v1/workspace'))
    assert.ok(!JSON.stringify(workspaces).includes('00000000'))
    expectError(
      await t.call('GET', `${DEFINITION}?workspaceId=wsp_${'0'.repeat(26)}`),
      'workspace_not_accessible',
    )
  })
}

function findId(
  definitions: { key: string; integrationDefinitionId: string }[],
  key: string,
): string {
  return definitions.find((item) => item.key === key)?.integrationDefinitionId ?? ''
}
