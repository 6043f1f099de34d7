import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { auditOf, fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'
import { type BuiltVersion, buildVersion, smallCatalogue } from '../../test/small-catalogue.ts'
import { createCatalogueStore } from '../catalogue/catalogue-store.ts'
import { offersOf } from '../catalogue/offer.ts'
import { syncCatalogue } from '../catalogue/sync-catalogue.ts'
import { createBundleStore } from '../definition/bundle-store.ts'
import { createLog } from '../http/log.ts'

const DEFINITION = '/v1/integration_definition'

describe('versions of the catalogue, on SQLite', () => promises(async () => undefined))
describePostgres('versions of the catalogue, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('versions')),
)

function promises(url: () => Promise<string> | Promise<undefined>): void {
  let t: World
  let one: BuiltVersion
  let two: BuiltVersion
  let id: string
  const lines: string[] = []
  const offer = async (...versions: BuiltVersion[]) =>
    syncCatalogue(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        log: createLog('info', { write: (line) => void lines.push(line) }),
        now: Date.now,
      },
      await offersOf(await smallCatalogue(versions)),
    )
  const get = async (token = t.token) => fine(await t.call('GET', `${DEFINITION}/${id}`, { token }))
  const post = (rest: string, body?: object, token = t.token) =>
    t.call('POST', `${DEFINITION}/${id}${rest}`, { token, ...(body && { body }) })

  before(async () => {
    ;[one, two] = await Promise.all([
      buildVersion('desk', '1.0.0', { path: '/v1' }),
      buildVersion('desk', '1.1.0', { path: '/v2' }),
    ])
    // The app's own files hold both, the database knows the first only.
    const database = await url()
    const catalogue = await smallCatalogue([one, two])
    t = await startWorld({
      ...(database && { url: database }),
      catalogue: { ...catalogue, entries: [] },
    })
    for (const path of ['/v1', '/v2'])
      t.origin.serve(path, (_request, response) => response.end('{}'))
    await offer(one)
    const [desk] = fine(await t.call('GET', DEFINITION))
    id = desk.integrationDefinitionId
  })
  after(() => t.close())

  const connect = (token = t.token) =>
    t.connect(id, { config: { api_key: 'key', base_url: t.origin.url } }, token)

  it('move no workspace that has accounts, and every other one', async () => {
    const stranger = await t.stranger()
    await connect()
    assert.deepEqual(await offer(one, two), { moved: 1, failed: 0, changed: 0 })
    const mine = await get()
    assert.deepEqual([mine.version, mine.isLatest, mine.latestVersion], ['1.0.0', false, '1.1.0'])
    assert.match(mine.latestVersionSource, /\/catalogue\/desk\/1\.1\.0\/index\.js$/)
    const theirs = await get(stranger.token)
    assert.deepEqual([theirs.version, theirs.isLatest], ['1.1.0', true])
    t.origin.requests.length = 0
    await connect()
    await connect(stranger.token)
    assert.deepEqual(t.origin.requests, ['GET /v1', 'GET /v2'])
  })

  it('change nothing when they are offered again, and never go back', async () => {
    const [row] = await t.database.read.selectFrom('definitions').selectAll().execute()
    assert.deepEqual(await offer(one, two), { moved: 0, failed: 0, changed: 0 })
    assert.deepEqual(await offer(one), { moved: 0, failed: 0, changed: 0 })
    assert.deepEqual(await t.database.read.selectFrom('definitions').selectAll().execute(), [row])
  })

  it('are run from the upgrade on, and accounts stay', async () => {
    const before = fine(await t.call('GET', '/v1/integration_account'))
    const upgraded = fine(await post(''))
    assert.deepEqual([upgraded.version, upgraded.isLatest], ['1.1.0', true])
    assert.deepEqual(fine(await t.call('GET', '/v1/integration_account')), before)
    t.origin.requests.length = 0
    await connect()
    assert.deepEqual(t.origin.requests, ['GET /v2'])
    assert.deepEqual((await auditOf(t, id)).slice(-1), ['definition.upgraded'])
    assert.deepEqual(await t.database.read.selectFrom('definition_pins').selectAll().execute(), [])
  })

  it('stay as they are when an upgrade names the one that runs', async () => {
    const { updatedAt } = await get()
    assert.equal(fine(await post('', { version: '1.1.0' })).updatedAt, updatedAt)
  })

  it('go back to the one before, once', async () => {
    const back = fine(await post('/rollback'))
    assert.deepEqual([back.version, back.isLatest], ['1.0.0', false])
    assert.deepEqual((await auditOf(t, id)).slice(-1), ['definition.rolled_back'])
    refused(await post('/rollback'), 'nothing_to_roll_back')
    t.origin.requests.length = 0
    await connect()
    assert.deepEqual(t.origin.requests, ['GET /v1'])
  })

  it('go back to one that is named, if it ran here', async () => {
    const url = (await get()).latestVersionSource
    fine(await post('', { sourceUrl: url, version: '1.1.0' }))
    fine(await post('', { version: '1.0.0' }))
    refused(await post('/rollback', { version: '0.9.0' }), 'nothing_to_roll_back')
    assert.equal(fine(await post('/rollback', { version: '1.0.0' })).version, '1.0.0')
    refused(await post('/rollback', {}), 'nothing_to_roll_back')
  })

  it('must be ones that are offered, of an address that is theirs', async () => {
    refused(await post('', { version: '9.9.9' }), 'unknown_reference')
    refused(await post('', { sourceUrl: 'https://evil.example/x.js' }), 'unknown_reference')
    refused(await post('', { version: '' }), 'validation_failed')
    refused(await post('', { code: 'x' }), 'validation_failed')
    assert.equal((await get()).version, '1.0.0')
  })

  it('are changed by those who may write there, in a workspace they reach', async () => {
    const readOnly = await t.mint({ scopes: ['read'] })
    const stranger = await t.stranger()
    for (const rest of ['', '/rollback', '/preview']) {
      refused(await post(rest, {}, readOnly), 'insufficient_scope')
      refused(await t.call('POST', `${DEFINITION}/${id}${rest}`, { token: null }), 'token_missing')
      refused(await post(rest, { workspaceId: stranger.workspaceId }), 'workspace_not_accessible')
      const unknown = `${DEFINITION}/def_01kahn2s6kf5arr5d1x6z5cq3b${rest}`
      refused(await t.call('POST', unknown), 'integration_definition_not_found')
    }
    assert.equal((await get(stranger.token)).version, '1.1.0')
  })

  it('are of one workspace each', async () => {
    const second = fine(await t.call('GET', '/v1/workspace')).length
    assert.equal(second, 1)
    const { workspaceId } = (await t.call('POST', '/v1/workspace')).body
    fine(await post('', { version: '1.0.0', workspaceId }))
    assert.equal(
      fine(await t.call('GET', `${DEFINITION}/${id}?workspaceId=${workspaceId}`)).version,
      '1.0.0',
    )
    fine(await post('', { workspaceId }))
    assert.equal((await get()).version, '1.0.0', 'the oldest workspace has its own')
  })

  it('whose bytes have changed are reported once, and never run', async () => {
    const other = await buildVersion('desk', '1.1.0', { path: '/evil' })
    assert.notEqual(other.sha256, two.sha256)
    for (const _ of [1, 2])
      assert.deepEqual(await offer(one, other), { moved: 0, failed: 0, changed: 1 })
    const reported = (await auditOf(t, id)).filter(
      (action) => action === 'definition.bundle_changed',
    )
    assert.equal(reported.length, 1)
    assert.ok(lines.some((line) => line.includes('other bytes')))
    const stranger = await t.stranger()
    t.origin.requests.length = 0
    await connect(stranger.token)
    assert.deepEqual(t.origin.requests, ['GET /v2'])
  })
}
