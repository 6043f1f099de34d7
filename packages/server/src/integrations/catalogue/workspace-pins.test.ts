import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  type BuiltVersion,
  buildVersion,
  createSmallCatalogue,
} from '../../../test/small-catalogue.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { createLog } from '../../platform/http/log.ts'
import { createBundleStore } from '../definitions/bundle-store.ts'
import { createCatalogueStore } from './catalogue-store.ts'
import { listBundledIntegrations, type OfferedIntegration } from './offered-integration.ts'
import { syncCatalogue } from './sync-catalogue.ts'

const DEFINITION = '/v1/integration_definition'

describeOnBothDatabases('workspaces pinned to a version of the catalogue', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let id: string
  let built: BuiltVersion[]
  const sync = (integrations: readonly OfferedIntegration[]) =>
    syncCatalogue(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        log: createLog('silent'),
        now: Date.now,
      },
      integrations,
    )
  const bundledVersions = async (count: number) =>
    listBundledIntegrations(await createSmallCatalogue(built.slice(0, count)))
  /** The same integration, as a remote registry offers it. */
  const registryVersions = async (count: number): Promise<OfferedIntegration[]> =>
    (await bundledVersions(count)).map((integration) => ({
      ...integration,
      name: 'Renamed',
      icon: 'https://other.example/desk.svg',
      stage: 'BETA',
      versions: integration.versions.map((each) => ({
        ...each,
        sourceUrl: `https://other.example${each.sourceUrl}`,
      })),
    }))
  const get = async (token = t.token) =>
    expectOk(await t.call('GET', `${DEFINITION}/${id}`, { token }))
  const connect = (token: string) =>
    t.createAccount(id, { config: { api_key: 'key', base_url: t.stubServer.url } }, token)

  before(async () => {
    built = await Promise.all(
      ['1.0.0', '1.1.0', '1.2.0', '1.3.0'].map((version) => buildVersion('desk', version)),
    )
    const catalogue = { ...(await createSmallCatalogue(built)), entries: [] }
    const database = await newUrl()
    t = await testContext({ catalogue, ...(database && { url: database }) })
    await sync(await bundledVersions(1))
    id = expectOk(await t.call('GET', DEFINITION))[0].integrationDefinitionId
  })
  after(() => t.close())

  it('keep their first pinned version when the catalogue changes again', async () => {
    await connect(t.token)
    await sync(await bundledVersions(2))
    await sync(await bundledVersions(3))
    const { version, latestVersion } = await get()
    assert.deepEqual([version, latestVersion], ['1.0.0', '1.2.0'])
  })

  it('are upgraded if all their accounts are deleted', async () => {
    const { token } = await t.otherUser()
    const { integrationAccountId } = await connect(token)
    expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`, { token }))
    assert.equal((await get(token)).version, '1.2.0')
    await sync(await bundledVersions(4))
    assert.equal((await get(token)).version, '1.3.0')
  })

  it('keep the description if a registry offers the same version', async () => {
    const before = await get()
    await sync(await registryVersions(4))
    assert.deepEqual(await get(), before)
    assert.equal(before.icon, 'http://localhost:3000/catalogue/icons/desk.svg')
  })

  it('get the description of a registry with a newer version, and the bundled icon', async () => {
    built.push(await buildVersion('desk', '1.4.0'))
    await sync(await registryVersions(5))
    const { name, releaseStage, icon, latestVersion } = await get()
    assert.deepEqual([name, releaseStage.key, latestVersion], ['Renamed', 'BETA', '1.4.0'])
    assert.equal(icon, 'http://localhost:3000/catalogue/icons/desk.svg')
    await sync(await bundledVersions(4))
    assert.equal((await get()).name, 'Renamed', 'an outdated node')
  })

  it('preview upgrades individually', async () => {
    const otherUser = await t.otherUser()
    await connect(otherUser.token)
    const preview = (token: string) =>
      t.call('POST', `${DEFINITION}/${id}/preview`, { token, body: { version: '1.3.0' } })
    const { previewId, accounts } = expectOk(await preview(t.token))
    assert.equal(accounts.total, 1)
    const path = `${DEFINITION}/${id}/preview/${previewId}`
    assert.equal(expectOk(await t.call('GET', path)).previewId, previewId)
    expectError(await t.call('GET', path, { token: otherUser.token }), 'preview_not_found')
    const { integrationDefinitionId: other } = await t.createDefinition()
    expectError(await t.call('GET', path.replace(id, String(other))), 'preview_not_found')
    const live = expectOk(await t.call('GET', '/v1/integration_account'))
    for (const { integrationAccountId } of live)
      expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
    assert.equal(expectOk(await preview(t.token)).accounts.total, 0)
    assert.equal(expectOk(await preview(otherUser.token)).accounts.total, 1)
  })
}
