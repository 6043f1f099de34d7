import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'
import { type BuiltVersion, buildVersion, smallCatalogue } from '../../test/small-catalogue.ts'
import { createBundleStore } from '../definition/bundle-store.ts'
import { createLog } from '../http/log.ts'
import { createCatalogueStore } from './catalogue-store.ts'
import { type Offer, offersOf } from './offer.ts'
import { syncCatalogue } from './sync-catalogue.ts'

const DEFINITION = '/v1/integration_definition'

describe('a catalogue that moves on, on SQLite', () => promises(async () => undefined))
describePostgres('a catalogue that moves on, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('moves')),
)

function promises(url: () => Promise<string> | Promise<undefined>): void {
  let t: World
  let id: string
  let built: BuiltVersion[]
  const sync = (offers: readonly Offer[]) =>
    syncCatalogue(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        log: createLog('silent'),
        now: Date.now,
      },
      offers,
    )
  const ours = async (count: number) => offersOf(await smallCatalogue(built.slice(0, count)))
  /** The same, as a registry elsewhere offers it. */
  const theirs = async (count: number): Promise<Offer[]> =>
    (await ours(count)).map((offer) => ({
      ...offer,
      name: 'Renamed',
      icon: 'https://other.example/desk.svg',
      stage: 'BETA',
      versions: offer.versions.map((each) => ({
        ...each,
        sourceUrl: `https://other.example${each.sourceUrl}`,
      })),
    }))
  const get = async (token = t.token) => fine(await t.call('GET', `${DEFINITION}/${id}`, { token }))
  const connect = (token: string) =>
    t.connect(id, { config: { api_key: 'key', base_url: t.origin.url } }, token)

  before(async () => {
    built = await Promise.all(
      ['1.0.0', '1.1.0', '1.2.0', '1.3.0'].map((version) => buildVersion('desk', version)),
    )
    const catalogue = { ...(await smallCatalogue(built)), entries: [] }
    const database = await url()
    t = await startWorld({ catalogue, ...(database && { url: database }) })
    await sync(await ours(1))
    id = fine(await t.call('GET', DEFINITION))[0].integrationDefinitionId
  })
  after(() => t.close())

  it('keeps a workspace at the version that it was pinned to first, however often it moves', async () => {
    await connect(t.token)
    await sync(await ours(2))
    await sync(await ours(3))
    const { version, latestVersion } = await get()
    assert.deepEqual([version, latestVersion], ['1.0.0', '1.2.0'])
  })

  it('takes workspaces along whose accounts are all deleted', async () => {
    const { token } = await t.stranger()
    const { integrationAccountId } = await connect(token)
    fine(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`, { token }))
    assert.equal((await get(token)).version, '1.2.0')
    await sync(await ours(4))
    assert.equal((await get(token)).version, '1.3.0')
  })

  it('is not described anew by a registry that offers the same', async () => {
    const before = await get()
    await sync(await theirs(4))
    assert.deepEqual(await get(), before)
    assert.equal(before.icon, 'http://localhost:3000/catalogue/icons/desk.svg')
  })

  it('is described by a registry that is ahead, with the icon that comes with us', async () => {
    built.push(await buildVersion('desk', '1.4.0'))
    await sync(await theirs(5))
    const { name, releaseStage, icon, latestVersion } = await get()
    assert.deepEqual([name, releaseStage.key, latestVersion], ['Renamed', 'BETA', '1.4.0'])
    assert.equal(icon, 'http://localhost:3000/catalogue/icons/desk.svg')
    await sync(await ours(4))
    assert.equal((await get()).name, 'Renamed', 'a node that is behind')
  })

  it('is previewed by each workspace for itself', async () => {
    const stranger = await t.stranger()
    await connect(stranger.token)
    const preview = (token: string) =>
      t.call('POST', `${DEFINITION}/${id}/preview`, { token, body: { version: '1.3.0' } })
    const { previewId, accounts } = fine(await preview(t.token))
    assert.equal(accounts.total, 1)
    const path = `${DEFINITION}/${id}/preview/${previewId}`
    assert.equal(fine(await t.call('GET', path)).previewId, previewId)
    refused(await t.call('GET', path, { token: stranger.token }), 'preview_not_found')
    const { integrationDefinitionId: other } = await t.define()
    refused(await t.call('GET', path.replace(id, String(other))), 'preview_not_found')
    const live = fine(await t.call('GET', '/v1/integration_account'))
    for (const { integrationAccountId } of live)
      fine(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
    assert.equal(fine(await preview(t.token)).accounts.total, 0)
    assert.equal(fine(await preview(stranger.token)).accounts.total, 1)
  })
}
