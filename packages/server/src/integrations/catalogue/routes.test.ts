import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  type BuiltVersion,
  buildVersion,
  createSmallCatalogue,
} from '../../../test/small-catalogue.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { createLog } from '../../platform/http/log.ts'
import { parseKeys } from '../../platform/vault/key-ring.ts'
import { createVault } from '../../platform/vault/vault.ts'
import { createBundleStore } from '../definitions/bundle-store.ts'
import { createCatalogueStore } from './catalogue-store.ts'
import { createInstanceKeyReader } from './instance-key-store.ts'
import { listBundledIntegrations } from './offered-integration.ts'
import { parseRegistryDocument } from './registry/parse-registry-document.ts'
import { parseRegistryKeys, verifyRegistry } from './registry/registry-signature.ts'
import { createServedVersions } from './routes.ts'
import { syncCatalogue } from './sync-catalogue.ts'

describe('/catalogue', () => {
  let t: TestApp
  let clock = Date.now()
  let versions: BuiltVersion[]
  before(async () => {
    versions = await Promise.all([buildVersion('desk', '1.0.0'), buildVersion('desk', '1.10.0')])
    t = await testApp({ now: () => clock, catalogue: await createSmallCatalogue(versions) })
  })
  after(() => t.close())

  it('returns the registry without authentication, with all versions and digests, newest first', async () => {
    const { body, headers } = await t.call('GET', '!/catalogue/registry.json', { token: null })
    const all = versions.toReversed().map(({ version, sha256 }) => ({
      version,
      sourceUrl: `http://localhost:3000/catalogue/desk/${version}/index.js`,
      sha256,
    }))
    const { issuedAt, expiresAt, payload, protected: header, signature, ...document } = body
    assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()), {
      ...document,
      issuedAt,
      expiresAt,
    })
    assert.ok(Date.parse(issuedAt) <= Date.now() && Date.parse(expiresAt) > Date.now())
    assert.ok(header && signature)
    assert.deepEqual(document, {
      version: 1,
      definitions: [
        {
          key: 'desk',
          name: 'Acme desk',
          icon: 'http://localhost:3000/catalogue/icons/desk.svg',
          integrationType: { key: 'SUPPORT', name: 'Support' },
          releaseStage: { key: 'ALPHA', name: 'Alpha' },
          ...all[0],
          versions: all,
        },
      ],
    })
    const etag = String(headers.etag)
    const requestWith = (ifNoneMatch: string) =>
      t.app.inject({ url: '/catalogue/registry.json', headers: { 'if-none-match': ifNoneMatch } })
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { statusCode, body: emptyBody } = await requestWith(ifNoneMatch)
      assert.deepEqual([statusCode, emptyBody], [304, ''], ifNoneMatch)
    }
    assert.equal((await requestWith('"other"')).statusCode, 200)
  })

  it('signs the registry with the key in /catalogue/jwks.json, and updates signature and expiry', async () => {
    const fetchDocument = async () =>
      (await t.call('GET', '!/catalogue/registry.json', { token: null })).text
    const { keys } = JSON.parse((await t.app.inject('/catalogue/jwks.json')).body)
    assert.deepEqual(Object.keys(keys[0]), ['kty', 'crv', 'x', 'kid', 'alg', 'use'])
    const trusted = parseRegistryKeys(keys[0].x)
    const first = verifyRegistry(await fetchDocument(), trusted)
    assert.equal(first.expiresAt - first.issuedAt, 7 * 24 * 3_600_000)
    clock += 3 * 3_600_000
    const later = verifyRegistry(await fetchDocument(), trusted)
    assert.equal(later.issuedAt - first.issuedAt, 3 * 3_600_000)
    assert.equal(later.expiresAt - first.expiresAt, 3 * 3_600_000)
    const deps = { database: t.database, now: Date.now }
    const keyRing = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
    const vault = createVault({ ...deps, keys: keyRing })
    const otherNodeKey = await createInstanceKeyReader({ ...deps, vault })()
    assert.equal(otherNodeKey.publicKey, keys[0].x, 'all nodes of a database share a key')
    const rows = await t.database.read.selectFrom('instance_keys').selectAll().execute()
    assert.equal(rows.length, 1)
    const pkcs8 = Buffer.from('302e020100300506032b6570', 'hex')
    assert.ok(
      !Buffer.from(rows[0]?.sealed ?? pkcs8).includes(pkcs8),
      'the private key is encrypted',
    )
  })

  it('returns a registry that another Linchpin accepts', async () => {
    const { text } = await t.call('GET', '!/catalogue/registry.json', { token: null })
    // Over http too, which is allowed on localhost.
    for (const base of ['http://localhost:3000', 'https://other.example']) {
      const document = parseRegistryDocument(text.replaceAll('http://localhost:3000', base))
      assert.ok(typeof document === 'object', String(document))
      assert.equal(document.definitions[0]?.icon, `${base}/catalogue/icons/desk.svg`)
    }
  })

  it('returns the exact bytes of a version as immutable, with their digest', async () => {
    const response = await t.app.inject('/catalogue/desk/1.10.0/index.js')
    assert.equal(hash('sha256', response.rawPayload), versions[1]?.sha256)
    assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(response.headers['content-type'], 'text/javascript; charset=utf-8')
    const digest = hash('sha256', response.rawPayload, 'base64')
    assert.equal(response.headers['repr-digest'], `sha-256=:${digest}:`)
  })

  it('serves every version that it has served, with the same bytes, even if a later release does not bundle it', async () => {
    const [one, two] = versions
    assert.ok(one && two)
    const later = [
      await buildVersion('desk', '1.10.0', { path: '/other' }),
      await buildVersion('desk', '2.0.0'),
    ]
    const next = await createSmallCatalogue(later)
    const deps = {
      database: t.database,
      bundles: createBundleStore(t.database),
      catalogue: createCatalogueStore(t.database),
      log: createLog('silent'),
      now: Date.now,
    }
    await syncCatalogue(deps, listBundledIntegrations(next))
    const served = createServedVersions({ ...deps, bundledCatalogue: next })
    const desk = (await served.all()).get('desk')
    const expectedVersions = [later[1], two].map((each) => [each?.version, each?.sha256])
    assert.deepEqual(
      desk?.map(({ version, sha256 }) => [version, sha256]),
      expectedVersions,
      'the first release never ran 1.0.0, so its bytes were not stored',
    )
    for (const { version, sha256 } of desk ?? []) {
      const bytes = await served.bundle('desk', version)
      assert.equal(bytes && hash('sha256', bytes), sha256, version)
    }
    assert.equal(await served.bundle('desk', '1.0.0'), undefined)
    assert.equal(await served.bundle('mail', '1.0.0'), undefined)
  })

  it('returns icons that cannot run scripts, and 404 for other files', async () => {
    const icon = await t.app.inject('/catalogue/icons/desk.svg')
    assert.equal(icon.headers['content-type'], 'image/svg+xml')
    assert.match(String(icon.headers['content-security-policy']), /^default-src 'none'/)
    for (const invalidPath of [
      'desk/1.0.1/index.js',
      'desk/constructor/index.js',
      'mail/1.0.0/index.js',
      'desk/..%2f1.0.0/index.js',
      'icons/mail.svg',
      'icons/desk',
      'icons/..%2fdesk.svg',
      '',
    ])
      assert.equal((await t.app.inject(`/catalogue/${invalidPath}`)).statusCode, 404, invalidPath)
  })
})
