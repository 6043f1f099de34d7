import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Catalogue } from '@linchpin/catalogue'
import type { Entry } from '@linchpin/kit/entry'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { KEY_ENTRY, placeholder } from '../../../test/sample-entry.ts'
import { sharedRunner } from '../../../test/shared-runner.ts'
import {
  type BuiltVersion,
  buildEntryVersion,
  buildVersion,
  createSmallCatalogue,
} from '../../../test/small-catalogue.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { applyOverrides, readOverrides } from '../../integrations/catalogue/apply-overrides.ts'
import { createCatalogueStore } from '../../integrations/catalogue/catalogue-store.ts'
import {
  getCatalogueDefinitionId,
  listBundledIntegrations,
} from '../../integrations/catalogue/offered-integration.ts'
import { syncCatalogue } from '../../integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import { createLog } from '../../platform/http/log.ts'

const DESK: Entry = {
  runtime: 1,
  key: 'desk',
  name: 'Desk',
  category: 'SUPPORT',
  version: '1.0.0',
  docs: 'https://desk.example/docs',
  ...KEY_ENTRY,
  check: { get: '/old' },
}
/** It has a fixed host. */
const MAIL: Entry = {
  ...DESK,
  key: 'mail',
  name: 'Mail',
  hosts: ['api.mail.example'],
  base: 'https://api.mail.example',
  fields: {},
  check: { get: '/me' },
}

describeOnBothDatabases('An override of the catalogue', (newUrl) => {
  let t: TestContext
  let versions: readonly BuiltVersion[]
  let catalogue: { -readonly [K in keyof Catalogue]: Catalogue[K] }
  const lines: string[] = []
  const deskId = getCatalogueDefinitionId('desk')
  const pathOf = (key: string) => `/v1/integration_definition/${getCatalogueDefinitionId(key)}`
  const override = (patch: object, key = 'desk', token = t.token) =>
    t.call('POST', `${pathOf(key)}/override`, { body: { patch }, token })
  const get = async (key = 'desk', token = t.token) =>
    expectOk(await t.call('GET', pathOf(key), { token }))
  const syncDeps = () => ({
    database: t.database,
    bundles: createBundleStore(t.database),
    catalogue: createCatalogueStore(t.database),
    log: createLog('info', { write: (line) => void lines.push(line) }),
    now: Date.now,
  })
  const sync = async (...offered: readonly BuiltVersion[]) =>
    syncCatalogue(syncDeps(), listBundledIntegrations(await createSmallCatalogue(offered)))
  const connect = (token = t.token, api_key = 'key') =>
    t.call('POST', '/v1/integration_account', {
      token,
      body: {
        integrationDefinitionId: deskId,
        integrationAccountName: 'Desk',
        authType: 'Api Key',
        config: { api_key, base_url: t.stubServer.url },
      },
    })
  const requests = () => t.stubServer.requests.splice(0)

  before(async () => {
    versions = await Promise.all([
      buildEntryVersion(DESK),
      buildEntryVersion(MAIL),
      buildVersion('code', '1.0.0'),
    ])
    const next = { ...DESK, version: '1.1.0', identity: { get: '/me', id: 'id', label: 'id' } }
    const later = { ...next, version: '1.2.0', check: { get: '/new' } }
    const all = [...versions, ...(await Promise.all([next, later].map(buildEntryVersion)))]
    // Files of a release that has later versions, too, which it offers from the upgrade on.
    catalogue = { ...(await createSmallCatalogue(all)), entries: await entriesOf(versions) }
    t = await testContext({ url: await newUrl(), catalogue })
    for (const path of ['/old', '/new', '/me'])
      t.stubServer.serve(path, (_request, response) => response.end('{"id": 1}'))
    versions = all
  })
  after(() => t.close())

  const entriesOf = async (all: readonly BuiltVersion[]) =>
    (await createSmallCatalogue(all)).entries

  it('changes the entry for this workspace alone, and says what it changed', async () => {
    const otherUser = await t.otherUser()
    const changed = expectOk(await override({ check: { get: '/new' } }))
    assert.deepEqual(
      [changed.version, changed.isLatest, changed.overridden],
      ['1.0.0', true, ['check.get']],
    )
    assert.match(changed.sourceUrl, /^ni:/)
    assert.deepEqual((await get()).overridden, ['check.get'])
    assert.equal((await get('desk', otherUser.token)).overridden, undefined)
    expectCreated(await connect())
    assert.deepEqual(requests(), ['GET /new'])
    expectCreated(await connect(otherUser.token))
    assert.deepEqual(requests(), ['GET /old'])
    assert.equal((await listAuditActions(t, deskId)).at(-1), 'definition.overridden')
  })

  it('needs credentials:read while accounts use the integration, also for its preview', async () => {
    const token = await t.createToken({ scopes: ['read', 'definitions:write'] })
    const patch = { hosts: ['evil.example'], base: 'https://evil.example' }
    expectError(await override(patch, 'desk', token), 'insufficient_scope')
    const preview = await t.call('POST', `${pathOf('desk')}/preview`, { token, body: { patch } })
    expectError(preview, 'insufficient_scope')
    assert.deepEqual((await get()).overridden, ['check.get'])
    expectOk(await override({ check: { get: '/me' } }, 'mail', token))
    expectOk(await override({}, 'mail', token))
  })

  it('previews what it would do to the accounts', async () => {
    const body = { patch: { check: { get: '/missing' } } }
    const preview = expectOk(await t.call('POST', `${pathOf('desk')}/preview`, { body }))
    assert.deepEqual([preview.accounts.total, preview.accounts.wouldBreak], [1, 1])
    assert.deepEqual((await get()).overridden, ['check.get'])
    requests()
  })

  const invalid: [path: string, message: RegExp, patch: AnyBody, key?: string][] = [
    ['patch.hosts', /do not cover evil\.example/, { base: 'https://evil.example' }, 'mail'],
    ['patch.key', /how the integration connects/i, { key: 'mine' }],
    ['patch.runtime', /how the integration connects/i, { runtime: 2 }],
    ['patch.colour', /not a property/, { colour: 'red' }],
    ['patch.check', /missing/, { check: null }],
    [
      'patch.auth.Api Key',
      /secret api_key must not be part of a URL/,
      {
        check: { get: `/keys/${placeholder('api_key')}` },
      },
    ],
    ['patch', /is code/, { check: { get: '/new' } }, 'code'],
  ]
  for (const [path, message, patch, key] of invalid)
    it(`400: ${key ?? 'desk'} ${path} ${message.source}, and nothing changes`, async () => {
      const before = await get(key)
      const error = expectError(await override(patch, key), 'validation_failed')
      const [[name, problems] = []] = Object.entries(error.errors ?? {})
      assert.equal(name, path, JSON.stringify(error))
      assert.match(JSON.stringify(problems), message)
      assert.deepEqual(await get(key), before)
    })

  it('400: a definition of the workspace is upgraded instead', async () => {
    const { key, category, version, runtime, docs, ...entry } = DESK
    const own = expectCreated(
      await t.call('POST', '/v1/integration_definition', {
        body: { name: 'Own', integrationType: 'SUPPORT', entry },
      }),
    )
    const response = await t.call(
      'POST',
      `/v1/integration_definition/${own.integrationDefinitionId}/override`,
      { body: { patch: { check: { get: '/new' } } } },
    )
    assert.match(expectError(response, 'validation_failed').message, /patch: .*upgrade/)
  })

  it('names a new host in the patch to use it', async () => {
    const patch = { base: 'https://api2.mail.example', hosts: ['api2.mail.example'] }
    assert.deepEqual(expectOk(await override(patch, 'mail')).overridden, ['hosts', 'base'])
    const restored = expectOk(await override({}, 'mail'))
    assert.deepEqual([restored.overridden, restored.sourceUrl.slice(-9)], [undefined, '/index.js'])
  })

  it('names how often to check, also of an entry for an earlier release of the runtime', async () => {
    const patched = expectOk(await override({ checkInterval: 900 }, 'mail'))
    assert.deepEqual(patched.overridden, ['checkInterval'])
    const spec = expectOk(await t.call('GET', `${pathOf('mail')}/spec`))
    assert.equal(spec['x-check-interval'], 900)
    const refused = expectError(await override({ checkInterval: 60 }, 'mail'), 'validation_failed')
    assert.match(refused.message, /patch\.checkInterval: .*900 to 604800 seconds/)
    expectOk(await override({}, 'mail'))
  })

  it('stays after an upgrade as far as the newer version differs, and ends with the version that has the value', async () => {
    catalogue.entries = await entriesOf(versions)
    await sync(...versions)
    expectOk(await override({ check: { get: '/new' }, checkInterval: 900 }))
    const upgraded = expectOk(await t.call('POST', pathOf('desk'), { body: { version: '1.1.0' } }))
    const overridden = ['check.get', 'checkInterval']
    assert.deepEqual([upgraded.version, upgraded.overridden], ['1.1.0', overridden])
    expectOk(await override({ check: { get: '/new' } }))
    expectCreated(await connect(t.token, 'second'))
    assert.deepEqual(requests(), ['GET /new'])
    const latest = expectOk(await t.call('POST', pathOf('desk'), { body: { version: '1.2.0' } }))
    assert.deepEqual(
      [latest.version, latest.overridden, latest.isLatest],
      ['1.2.0', undefined, true],
    )
    const back = expectOk(await t.call('POST', `${pathOf('desk')}/rollback`))
    assert.deepEqual([back.version, back.overridden], ['1.1.0', ['check.get']])
    expectOk(await t.call('POST', pathOf('desk'), { body: { version: '1.2.0' } }))
  })

  it('of the instance is in effect for all workspaces that run the newest version, until it ends', async () => {
    const otherUser = await t.otherUser()
    const apply = async (overrides: object) =>
      applyOverrides(
        {
          ...syncDeps(),
          ...sharedRunner(),
          bundledCatalogue: await createSmallCatalogue(versions),
        },
        overrides as Record<string, Record<string, unknown>>,
      )
    assert.equal((await apply({ desk: { check: { get: '/old' } } })).size, 0)
    assert.deepEqual((await get('desk', otherUser.token)).overridden, ['check.get'])
    assert.equal((await get('desk', otherUser.token)).version, '1.2.0')
    expectCreated(await connect(otherUser.token))
    assert.ok(requests().includes('GET /old'))
    const problems = await apply({ desk: { colour: 'red' }, none: {}, code: { base: 'x' } })
    assert.deepEqual([...problems.keys()].toSorted(), ['code', 'desk', 'none'])
    assert.match(problems.get('desk') ?? '', /patch\.colour/)
    assert.match(lines.at(-1) ?? '', /was not applied/)
    assert.equal((await get('desk', otherUser.token)).overridden, undefined)
    expectCreated(await connect(otherUser.token, 'second'))
    assert.ok(requests().includes('GET /new'))
  })
})

it('LINCHPIN_CATALOGUE_OVERRIDES is a JSON file with an object of patches', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-overrides-'))
  const file = path.join(folder, 'overrides.json')
  const read = (text: string) => {
    writeFileSync(file, text)
    return readOverrides(file)
  }
  try {
    assert.deepEqual(read('{"desk": {"base": "https://x.example"}}'), {
      desk: { base: 'https://x.example' },
    })
    for (const [text, message] of [
      ['{', /JSON object/],
      ['[]', /JSON object/],
      ['{"desk": null}', /the patch of desk must be a JSON object/],
      [`"${'x'.repeat(1_100_000)}"`, /at most 1 MB/],
    ] as const)
      assert.throws(() => read(text), message)
    assert.throws(() => readOverrides(path.join(folder, 'none.json')), /cannot be read/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
