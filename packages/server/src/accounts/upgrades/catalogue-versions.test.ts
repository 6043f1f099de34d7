import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  type BuiltVersion,
  buildVersion,
  createSmallCatalogue,
} from '../../../test/small-catalogue.ts'
import {
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { createCatalogueStore } from '../../integrations/catalogue/catalogue-store.ts'
import { listBundledIntegrations } from '../../integrations/catalogue/offered-integration.ts'
import { syncCatalogue } from '../../integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import { createLog } from '../../platform/http/log.ts'

const DEFINITION = '/v1/integration_definition'

describeOnBothDatabases('versions of a catalogue definition', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let firstVersion: BuiltVersion
  let secondVersion: BuiltVersion
  let id: string
  const lines: string[] = []
  const syncVersions = async (...versions: BuiltVersion[]) =>
    syncCatalogue(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        log: createLog('info', { write: (line) => void lines.push(line) }),
        now: Date.now,
      },
      listBundledIntegrations(await createSmallCatalogue(versions)),
    )
  const get = async (token = t.token) =>
    expectOk(await t.call('GET', `${DEFINITION}/${id}`, { token }))
  const post = (subpath: string, body?: object, token = t.token) =>
    t.call('POST', `${DEFINITION}/${id}${subpath}`, { token, ...(body && { body }) })

  before(async () => {
    ;[firstVersion, secondVersion] = await Promise.all([
      buildVersion('desk', '1.0.0', { path: '/v1' }),
      buildVersion('desk', '1.1.0', { path: '/v2' }),
    ])
    // The files of the app contain both versions, the database only the first.
    const database = await newUrl()
    const catalogue = await createSmallCatalogue([firstVersion, secondVersion])
    t = await testContext({
      ...(database && { url: database }),
      catalogue: { ...catalogue, entries: [] },
    })
    for (const path of ['/v1', '/v2'])
      t.stubServer.serve(path, (_request, response) => response.end('{}'))
    await syncVersions(firstVersion)
    const [desk] = expectOk(await t.call('GET', DEFINITION))
    id = desk.integrationDefinitionId
  })
  after(() => t.close())

  const connect = (token = t.token) =>
    t.createAccount(id, { config: { api_key: 'key', base_url: t.stubServer.url } }, token)

  it('a new version does not change workspaces with accounts, but all others', async () => {
    const otherUser = await t.otherUser()
    await connect()
    assert.deepEqual(await syncVersions(firstVersion, secondVersion), {
      moved: 1,
      failed: 0,
      changed: 0,
    })
    const ownDefinition = await get()
    assert.deepEqual(
      [ownDefinition.version, ownDefinition.isLatest, ownDefinition.latestVersion],
      ['1.0.0', false, '1.1.0'],
    )
    assert.match(ownDefinition.latestVersionSource, /\/catalogue\/desk\/1\.1\.0\/index\.js$/)
    const otherUsersDefinition = await get(otherUser.token)
    assert.deepEqual([otherUsersDefinition.version, otherUsersDefinition.isLatest], ['1.1.0', true])
    t.stubServer.requests.length = 0
    await connect()
    await connect(otherUser.token)
    assert.deepEqual(t.stubServer.requests, ['GET /v1', 'GET /v2'])
  })

  it('the same version changes nothing when offered again, and an older one is ignored', async () => {
    const [row] = await t.database.read.selectFrom('definitions').selectAll().execute()
    assert.deepEqual(await syncVersions(firstVersion, secondVersion), {
      moved: 0,
      failed: 0,
      changed: 0,
    })
    assert.deepEqual(await syncVersions(firstVersion), { moved: 0, failed: 0, changed: 0 })
    assert.deepEqual(await t.database.read.selectFrom('definitions').selectAll().execute(), [row])
  })

  it('an upgrade takes effect immediately and keeps the accounts', async () => {
    const before = expectOk(await t.call('GET', '/v1/integration_account'))
    const upgraded = expectOk(await post(''))
    assert.deepEqual([upgraded.version, upgraded.isLatest], ['1.1.0', true])
    assert.deepEqual(expectOk(await t.call('GET', '/v1/integration_account')), before)
    t.stubServer.requests.length = 0
    await connect()
    assert.deepEqual(t.stubServer.requests, ['GET /v2'])
    assert.deepEqual((await listAuditActions(t, id)).slice(-1), ['definition.upgraded'])
    assert.deepEqual(await t.database.read.selectFrom('definition_pins').selectAll().execute(), [])
  })

  it('an upgrade to the current version changes nothing', async () => {
    const { updatedAt } = await get()
    assert.equal(expectOk(await post('', { version: '1.1.0' })).updatedAt, updatedAt)
  })

  it('a rollback restores the previous version, once', async () => {
    const rolledBack = expectOk(await post('/rollback'))
    assert.deepEqual([rolledBack.version, rolledBack.isLatest], ['1.0.0', false])
    assert.deepEqual((await listAuditActions(t, id)).slice(-1), ['definition.rolled_back'])
    expectError(await post('/rollback'), 'nothing_to_roll_back')
    t.stubServer.requests.length = 0
    await connect()
    assert.deepEqual(t.stubServer.requests, ['GET /v1'])
  })

  it('a rollback restores a named version that the workspace has run', async () => {
    const url = (await get()).latestVersionSource
    expectOk(await post('', { sourceUrl: url, version: '1.1.0' }))
    expectOk(await post('', { version: '1.0.0' }))
    expectError(await post('/rollback', { version: '0.9.0' }), 'nothing_to_roll_back')
    assert.equal(expectOk(await post('/rollback', { version: '1.0.0' })).version, '1.0.0')
    expectError(await post('/rollback', {}), 'nothing_to_roll_back')
  })

  it('an upgrade requires an offered version and its URL', async () => {
    expectError(await post('', { version: '9.9.9' }), 'unknown_reference')
    expectError(await post('', { sourceUrl: 'https://evil.example/x.js' }), 'unknown_reference')
    expectError(await post('', { version: '' }), 'validation_failed')
    expectError(await post('', { code: 'x' }), 'validation_failed')
    assert.equal((await get()).version, '1.0.0')
  })

  it('an upgrade requires write access and an accessible workspace', async () => {
    const readOnly = await t.createToken({ scopes: ['read'] })
    const otherUser = await t.otherUser()
    for (const subpath of ['', '/rollback', '/preview']) {
      expectError(await post(subpath, {}, readOnly), 'insufficient_scope')
      expectError(
        await t.call('POST', `${DEFINITION}/${id}${subpath}`, { token: null }),
        'token_missing',
      )
      expectError(
        await post(subpath, { workspaceId: otherUser.workspaceId }),
        'workspace_not_accessible',
      )
      const unknown = `${DEFINITION}/def_01kahn2s6kf5arr5d1x6z5cq3b${subpath}`
      expectError(await t.call('POST', unknown), 'integration_definition_not_found')
    }
    assert.equal((await get(otherUser.token)).version, '1.1.0')
  })

  it('an upgrade changes one workspace only', async () => {
    const workspaceCount = expectOk(await t.call('GET', '/v1/workspace')).length
    assert.equal(workspaceCount, 1)
    const { workspaceId } = (await t.call('POST', '/v1/workspace')).body
    expectOk(await post('', { version: '1.0.0', workspaceId }))
    assert.equal(
      expectOk(await t.call('GET', `${DEFINITION}/${id}?workspaceId=${workspaceId}`)).version,
      '1.0.0',
    )
    expectOk(await post('', { workspaceId }))
    assert.equal((await get()).version, '1.0.0', 'the oldest workspace keeps its own')
  })

  it('409: changed bytes are reported once and never executed', async () => {
    const changedVersion = await buildVersion('desk', '1.1.0', { path: '/evil' })
    assert.notEqual(changedVersion.sha256, secondVersion.sha256)
    for (const _ of [1, 2])
      assert.deepEqual(await syncVersions(firstVersion, changedVersion), {
        moved: 0,
        failed: 0,
        changed: 1,
      })
    const reported = (await listAuditActions(t, id)).filter(
      (action) => action === 'definition.bundle_changed',
    )
    assert.equal(reported.length, 1)
    assert.ok(lines.some((line) => line.includes('has changed')))
    const otherUser = await t.otherUser()
    t.stubServer.requests.length = 0
    await connect(otherUser.token)
    assert.deepEqual(t.stubServer.requests, ['GET /v2'])
  })
}
