import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const DEFINITION = '/v1/integration_definition'

describeOnBothDatabases('versions of a custom definition', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let id: string
  let code = ''
  let bundleUrl: string
  const createBundle = (version?: string, note = '') =>
    `${createMiniBundle({ ...MINI_SPEC, ...(version && { version }) })}\n// ${note}`
  const upgrade = (body?: object) =>
    t.call('POST', `${DEFINITION}/${id}`, body === undefined ? {} : { body })
  const rollback = (body?: object) =>
    t.call('POST', `${DEFINITION}/${id}/rollback`, body === undefined ? {} : { body })
  const getDefinition = async () => expectOk(await t.call('GET', `${DEFINITION}/${id}`))

  before(async () => {
    const database = await newUrl()
    t = await testContext({ ...(database && { url: database }) })
    bundleUrl = t.stubServer.serve('/custom.js', (_request, response) => response.end(code))
    code = createBundle('1.0.0')
    id = (await t.createDefinition({ sourceUrl: bundleUrl })).integrationDefinitionId ?? ''
    await t.createAccount(id, { config: { api_key: 'key', base_url: t.stubServer.url } })
  })
  after(() => t.close())

  it('an upgrade changes nothing if the bytes at the URL are the same', async () => {
    const before = await getDefinition()
    assert.deepEqual(expectOk(await upgrade()), { ...before, missingScopes: {} })
    expectError(await rollback(), 'nothing_to_roll_back')
  })

  it('an upgrade uses the current bytes at the URL and keeps the accounts', async () => {
    code = createBundle('1.1.0')
    const upgraded = expectOk(await upgrade())
    assert.deepEqual(
      [upgraded.version, upgraded.isLatest, upgraded.latestVersion],
      ['1.1.0', true, '1.1.0'],
    )
    const accounts = expectOk(
      await t.call('GET', `/v1/integration_account?integrationDefinitionId=${id}`),
    )
    assert.equal(accounts.length, 1)
    assert.equal((await listAuditActions(t, id)).at(-1), 'definition.upgraded')
  })

  it('an upgrade with changed bytes of the same version is rejected and reported', async () => {
    const before = await getDefinition()
    for (const version of ['1.1.0', '1.0.0']) {
      code = createBundle(version, 'other bytes')
      expectError(await upgrade(), 'bundle_changed')
    }
    assert.deepEqual(await getDefinition(), before)
    assert.equal((await listAuditActions(t, id)).at(-1), 'definition.bundle_changed')
  })

  it('an upgrade may change the URL', async () => {
    const sourceUrl = t.stubServer.bundle(createBundle('1.2.0'))
    const upgraded = expectOk(await upgrade({ sourceUrl, version: '1.2.0' }))
    assert.deepEqual([upgraded.version, upgraded.sourceUrl], ['1.2.0', sourceUrl])
  })

  it('rollbacks restore one version after another without a download', async () => {
    t.stubServer.requests.length = 0
    const rolledBack = expectOk(await rollback())
    assert.deepEqual([rolledBack.version, rolledBack.sourceUrl], ['1.1.0', bundleUrl])
    assert.equal(expectOk(await rollback({ version: '1.0.0' })).version, '1.0.0')
    expectError(await rollback(), 'nothing_to_roll_back')
    assert.deepEqual(t.stubServer.requests, [])
  })

  it('the digests of rolled-back versions are remembered', async () => {
    for (const version of ['1.1.0', '1.2.0']) {
      code = createBundle(version, 'since the rollback')
      const body = version === '1.2.0' ? { sourceUrl: bundleUrl } : {}
      const response = await upgrade(body)
      if (version === '1.1.0') expectError(response, 'bundle_changed')
      else assert.equal(expectOk(response).version, '1.2.0', 'another address')
    }
    code = createBundle('1.1.0')
    assert.equal(expectOk(await upgrade()).version, '1.1.0', 'identical bytes')
    for (const version of ['1.2.0', '1.0.0'])
      assert.equal(expectOk(await rollback()).version, version)
    expectError(await rollback(), 'nothing_to_roll_back')
  })

  it('a rollback to a version from before there were accounts requires credentials:read', async () => {
    const token = await t.createToken({ scopes: ['read', 'write'] })
    const { integrationDefinitionId: otherId } = await t.createDefinition({
      sourceUrl: t.stubServer.bundle(createBundle()),
    })
    const postVersion = (subpath: string, body?: object) =>
      t.call('POST', `${DEFINITION}/${otherId}${subpath}`, { token, ...(body && { body }) })
    const sourceUrl = t.stubServer.bundle(createBundle('2.0.0'))
    expectOk(await postVersion('', { sourceUrl }))
    expectOk(await postVersion('/rollback'))
    expectOk(await postVersion('', { sourceUrl }))
    await t.createAccount(String(otherId), {
      config: { api_key: 'key', base_url: t.stubServer.url },
    })
    expectError(await postVersion('/rollback'), 'insufficient_scope')
    expectOk(await t.call('POST', `${DEFINITION}/${otherId}/rollback`))
  })

  it('an upgrade requires credentials:read if accounts were created during the download', async () => {
    const token = await t.createToken({ scopes: ['read', 'write'] })
    const { integrationDefinitionId: otherId } = await t.createDefinition({
      sourceUrl: t.stubServer.bundle(createBundle()),
    })
    const config = { api_key: 'key', base_url: t.stubServer.url }
    const connected = new Set<string>()
    const sourceUrl = t.stubServer.serve('/late.js', async (_request, response) => {
      await t.createAccount(String(otherId), { config })
      connected.add(String(otherId))
      response.end(createBundle('9.9.9'))
    })
    for (const subpath of ['', '/preview']) {
      const body = { sourceUrl }
      const live = expectOk(
        await t.call('GET', `/v1/integration_account?integrationDefinitionId=${otherId}`),
      )
      for (const { integrationAccountId } of live)
        expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
      expectError(
        await t.call('POST', `${DEFINITION}/${otherId}${subpath}`, { token, body }),
        'insufficient_scope',
      )
    }
    assert.equal(connected.size, 1)
  })

  it('the caller names the version only if the bundle does not', async () => {
    code = createBundle(undefined, 'first')
    assert.equal(expectOk(await upgrade({ version: '3' })).version, '3')
    code = createBundle(undefined, 'second')
    expectError(await upgrade({ version: '3' }), 'bundle_changed')
    assert.equal(expectOk(await upgrade({ version: '4' })).version, '4')
    code = createBundle('5.0.0')
    expectError(await upgrade({ version: '6' }), 'validation_failed')
  })

  it('a failed upgrade changes nothing', async () => {
    const before = await getDefinition()
    expectError(
      await upgrade({ sourceUrl: `${t.stubServer.url}/nowhere.js` }),
      'source_unreachable',
    )
    expectError(await upgrade({ sourceUrl: 'ftp://example.com/x.js' }), 'source_url_forbidden')
    expectError(await upgrade({ sourceUrl: t.stubServer.bundle('nonsense(') }), 'bundle_invalid')
    assert.deepEqual(await getDefinition(), before)
  })

  it('only live definitions have versions', async () => {
    const { integrationDefinitionId: deletedId } = await t.createDefinition()
    expectOk(await t.call('DELETE', `${DEFINITION}/${deletedId}`))
    for (const subpath of ['', '/rollback', '/preview'])
      expectError(
        await t.call('POST', `${DEFINITION}/${deletedId}${subpath}`),
        'integration_definition_not_found',
      )
  })

  it('only one of two concurrent upgrades succeeds', async () => {
    const sources = [
      t.stubServer.bundle(createBundle('7.0.0')),
      t.stubServer.bundle(createBundle('8.0.0')),
    ]
    const responses = await Promise.all(sources.map((sourceUrl) => upgrade({ sourceUrl })))
    const statuses = responses.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, 409])
    const conflict = responses.find(({ status }) => status === 409)
    assert.ok(conflict)
    expectError(conflict, 'concurrent_update')
  })
}
