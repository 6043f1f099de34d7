// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of entries use this syntax
import assert from 'node:assert/strict'
import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { bundleEntry, type Entry } from '@linchpin/kit/entry'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { sharedRunner } from '../../../../test/shared-runner.ts'
import { type BuiltVersion, buildVersion } from '../../../../test/small-catalogue.ts'
import {
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'
import { createLog } from '../../../platform/http/log.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { createBundleStore } from '../../definitions/bundle-store.ts'
import { createCatalogueStore } from '../catalogue-store.ts'
import { createInstanceKeyReader, toInstanceKey } from '../instance-key-store.ts'
import { EMPTY_CATALOGUE } from '../offered-integration.ts'
import { fetchRegistry } from './fetch-registry.ts'
import { signRegistry } from './registry-signature.ts'

const HOUR = 3_600_000

interface SigningTimes {
  readonly issuedAt: number
  readonly expiresAt: number
}

describeOnBothDatabases('a registry', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let firstVersion: BuiltVersion
  let secondVersion: BuiltVersion
  let runtimes: ReadonlyMap<number, string>
  let clock = Date.now()
  const pair = generateKeyPairSync('ed25519')
  let keys: readonly KeyObject[] = [pair.publicKey]
  const signed = (document: object, times: Partial<SigningTimes> = {}, key = pair.privateKey) =>
    signRegistry(document, toInstanceKey(key), {
      issuedAt: clock,
      expiresAt: clock + 24 * HOUR,
      ...times,
    })
  let respond: (response: ServerResponse, etag: string | undefined) => void
  const runFetch = (isStart = false) =>
    fetchRegistry(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        bundledCatalogue: { ...EMPTY_CATALOGUE, runtimes },
        log: createLog('silent'),
        now: () => clock,
        ...sharedRunner(),
        registryUrl: `${t.stubServer.url}/registry.json`,
        registryKeys: keys,
        afterSync: async () => {},
      },
      { isStart },
    )
  const serve = ({ version, code }: BuiltVersion, text = code) =>
    t.stubServer.serve(`/${version}.js`, (_request, response) => response.end(text))
  const document = (...versions: BuiltVersion[]) => ({
    version: 1,
    definitions: [
      {
        key: 'desk',
        name: 'Desk',
        icon: 'https://cdn.example/desk.svg',
        integrationType: { key: 'SUPPORT', name: 'Support' },
        releaseStage: { key: 'BETA', name: 'Beta' },
        version: versions[0]?.version,
        sourceUrl: `${t.stubServer.url}/${versions[0]?.version}.js`,
        sha256: versions[0]?.sha256,
        versions: versions.map(({ version, sha256 }) => ({
          version,
          sha256,
          sourceUrl: `${t.stubServer.url}/${version}.js`,
        })),
      },
    ],
  })
  const getDesk = async () => expectOk(await t.call('GET', '/v1/integration_definition'))[0]
  const getExtendedDesk = async () => {
    const { integrationDefinitionId: id } = await getDesk()
    return expectOk(await t.call('GET', `/v1/integration_definition/${id}`))
  }

  before(async () => {
    ;[firstVersion, secondVersion] = await Promise.all([
      buildVersion('desk', '1.0.0'),
      buildVersion('desk', '1.1.0', { path: '/v2' }),
    ])
    ;({ runtimes } = await loadCatalogue())
    const database = await newUrl()
    t = await testContext({ now: () => clock, ...(database && { url: database }) })
    t.stubServer.serve('/registry.json', (request, response) =>
      respond(response, request.headers['if-none-match']),
    )
    serve(firstVersion)
    serve(secondVersion)
  })
  beforeEach(() => {
    clock += 2 * HOUR
    t.stubServer.requests.length = 0
  })
  after(async () => {
    await t.close()
  })

  it('adds its integrations for all workspaces', async () => {
    respond = (response) =>
      response.writeHead(200, { etag: '"a"' }).end(signed(document(firstVersion)))
    assert.equal(await runFetch(true), 'ok')
    const deskDefinition = await getExtendedDesk()
    assert.deepEqual(
      [deskDefinition.key, deskDefinition.version, deskDefinition.isLatest],
      ['desk', '1.0.0', true],
    )
    assert.deepEqual(deskDefinition.releaseStage, { key: 'BETA', name: 'Beta' })
    assert.equal(deskDefinition.sourceUrl, `${t.stubServer.url}/1.0.0.js`)
    assert.equal(deskDefinition.icon, 'https://cdn.example/desk.svg')
    assert.deepEqual(t.stubServer.requests, ['GET /registry.json', 'GET /1.0.0.js'])
  })

  it('is signed with one key pair, even if several nodes create it at once', async () => {
    const deps = { database: t.database, now: () => clock }
    const keyRing = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
    const nodes = [1, 2, 3, 4].map(() =>
      createInstanceKeyReader({ ...deps, vault: createVault({ ...deps, keys: keyRing }) })(),
    )
    const instanceKeys = await Promise.all(nodes)
    assert.equal(new Set(instanceKeys.map(({ publicKey }) => publicKey)).size, 1)
    const { body } = await t.app.inject('/catalogue/jwks.json')
    assert.equal(JSON.parse(body).keys[0].x, instanceKeys[0]?.publicKey)
  })

  it('is fetched by one node per hour, and at startup', async () => {
    respond = (response, etag) => response.writeHead(etag === '"a"' ? 304 : 500).end()
    const all = await Promise.all([runFetch(), runFetch(), runFetch()])
    assert.deepEqual(all.toSorted(), ['not_due', 'not_due', 'unchanged'])
    assert.equal(await runFetch(true), 'not_due', 'just now')
    clock += 120_000
    assert.equal(await runFetch(), 'not_due')
    assert.equal(await runFetch(true), 'unchanged')
    assert.deepEqual(t.stubServer.requests, ['GET /registry.json', 'GET /registry.json'])
  })

  it('changes nothing if it is unreachable, not a registry or too large, and is fetched again soon', async () => {
    const before = await getExtendedDesk()
    const invalidDocument = document(firstVersion)
    const texts = [
      '{"version":2,"definitions":[]}',
      JSON.stringify({
        ...invalidDocument,
        definitions: [...invalidDocument.definitions, ...invalidDocument.definitions],
      }),
      JSON.stringify(invalidDocument).replace('SUPPORT', 'NONSENSE'),
      JSON.stringify(invalidDocument).replace('BETA', 'CUSTOM'),
      JSON.stringify(invalidDocument).replaceAll(firstVersion.sha256, 'abc'),
      JSON.stringify(invalidDocument).replaceAll('1.0.0', '1.0'),
      JSON.stringify(invalidDocument).replace('https://cdn', 'javascript://cdn'),
    ]
    const bodies = ['x'.repeat(5_000_000), ...texts.map((text) => () => signed(JSON.parse(text)))]
    for (const each of bodies) {
      clock += 2 * HOUR
      const body = typeof each === 'string' ? each : each()
      respond = (response) => response.writeHead(200).end(body)
      assert.equal(await runFetch(), 'failed', body.slice(0, 60))
    }
    clock += 400_000
    respond = (response) => response.writeHead(503).end()
    assert.equal(await runFetch(), 'failed')
    assert.deepEqual(await getExtendedDesk(), before)
  })

  it('is rejected and changes nothing if its document is unsigned, has a wrong signature, is stale or rolled back', async () => {
    const before = await getExtendedDesk()
    const other = generateKeyPairSync('ed25519').privateKey
    const newer = document(secondVersion)
    const parseSigned = () => JSON.parse(signed(newer))
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const cases: [name: string, body: () => string][] = [
      ['unsigned', () => JSON.stringify(newer)],
      ['empty', () => ''],
      ['signed by another key', () => signed(newer, {}, other)],
      ['another payload', () => JSON.stringify({ ...parseSigned(), payload: encode(newer) })],
      [
        'algorithm none',
        () => JSON.stringify({ ...parseSigned(), protected: encode({ alg: 'none' }) }),
      ],
      ['no signature', () => JSON.stringify({ ...parseSigned(), signature: '' })],
      ['expired', () => signed(newer, { expiresAt: clock - 1 })],
      ['expires now', () => signed(newer, { expiresAt: clock })],
      ['issued in the future', () => signed(newer, { issuedAt: clock + HOUR })],
      ['rolled back', () => signed(newer, { issuedAt: clock - 100 * HOUR })],
    ]
    for (const [name, body] of cases) {
      clock += 2 * HOUR
      respond = (response) => response.writeHead(200, { etag: '"evil"' }).end(body())
      assert.equal(await runFetch(), 'refused', name)
      assert.deepEqual(await getExtendedDesk(), before, name)
    }
    clock += 400_000
    respond = (response, etag) => {
      assert.notEqual(etag, '"evil"')
      response.writeHead(200, { etag: '"a"' }).end(signed(document(firstVersion)))
    }
    assert.equal(await runFetch(), 'ok', 'fetched again after five minutes')
  })

  it('is fetched without an ETag after the stored document has expired or its key was replaced', async () => {
    const etags: (string | undefined)[] = []
    respond = (response, etag) => {
      etags.push(etag)
      response.writeHead(200, { etag: '"a"' }).end(signed(document(firstVersion)))
    }
    assert.equal(await runFetch(), 'ok')
    clock += 25 * HOUR
    assert.equal(await runFetch(), 'ok')
    const next = generateKeyPairSync('ed25519')
    keys = [next.publicKey]
    clock += 2 * HOUR
    assert.equal(await runFetch(), 'refused', 'the previous key')
    keys = [pair.publicKey, next.publicKey]
    clock += 2 * HOUR
    respond = (response, etag) => {
      etags.push(etag)
      response
        .writeHead(200, { etag: '"a"' })
        .end(signed(document(firstVersion), {}, next.privateKey))
    }
    assert.equal(await runFetch(), 'ok', 'either of two keys')
    keys = [pair.publicKey]
    assert.deepEqual(etags, ['"a"', undefined, undefined, '"a"'])
  })

  it('upgrades workspaces without accounts, and reports the latest version to the others', async () => {
    t.stubServer.serve('/check', (_request, response) => response.end('{}'))
    const { integrationDefinitionId: id } = await getDesk()
    await t.createAccount(id, { config: { api_key: 'key', base_url: t.stubServer.url } })
    respond = (response) =>
      response.writeHead(200, { etag: '"b"' }).end(signed(document(firstVersion, secondVersion)))
    assert.equal(await runFetch(), 'ok')
    const deskDefinition = await getExtendedDesk()
    assert.deepEqual(
      [
        deskDefinition.version,
        deskDefinition.isLatest,
        deskDefinition.latestVersion,
        deskDefinition.latestVersionSource,
      ],
      ['1.0.0', false, '1.1.0', `${t.stubServer.url}/1.1.0.js`],
    )
    const { token } = await t.otherUser()
    const [otherUsersDesk] = expectOk(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(otherUsersDesk.version, '1.1.0')
  })

  it('with a wrong digest changes no workspace, and the version cannot be upgraded to', async () => {
    const thirdVersion = await buildVersion('desk', '1.2.0')
    serve(thirdVersion, `${thirdVersion.code}\n`)
    respond = (response) =>
      response.writeHead(200).end(signed(document(firstVersion, secondVersion, thirdVersion)))
    assert.equal(await runFetch(), 'ok')
    const deskDefinition = await getExtendedDesk()
    assert.deepEqual([deskDefinition.version, deskDefinition.latestVersion], ['1.0.0', '1.2.0'])
    const { token } = await t.otherUser()
    const [otherUsersDesk] = expectOk(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(otherUsersDesk.version, '1.1.0')
    const id = deskDefinition.integrationDefinitionId
    for (const rest of ['', '/preview'])
      expectError(await t.call('POST', `/v1/integration_definition/${id}${rest}`), 'bundle_changed')
    assert.equal((await listAuditActions(t, id)).at(-1), 'definition.bundle_changed')
    assert.equal((await getExtendedDesk()).version, '1.0.0')
  })

  it('is accepted after its bytes match again', async () => {
    const thirdVersion = await buildVersion('desk', '1.2.0')
    serve(thirdVersion)
    assert.equal(await runFetch(), 'ok')
    const { token } = await t.otherUser()
    const [otherUsersDesk] = expectOk(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(otherUsersDesk.version, '1.2.0')
  })

  const publish = async (...versions: BuiltVersion[]) => {
    clock += 2 * HOUR
    respond = (response) => response.writeHead(200).end(signed(document(...versions)))
    assert.equal(await runFetch(), 'ok')
    return getExtendedDesk()
  }

  it('can withdraw a version: the previous one is the latest again, and no workspace changes', async () => {
    const [thirdVersion, fourthVersion] = await Promise.all([
      buildVersion('desk', '1.2.0'),
      buildVersion('desk', '1.3.0'),
    ])
    serve(fourthVersion)
    const deskDefinition = await publish(fourthVersion, thirdVersion, secondVersion, firstVersion)
    assert.deepEqual([deskDefinition.version, deskDefinition.latestVersion], ['1.0.0', '1.3.0'])
    const withdrawn = await publish(thirdVersion, secondVersion, firstVersion)
    assert.deepEqual(
      [
        withdrawn.version,
        withdrawn.isLatest,
        withdrawn.latestVersion,
        withdrawn.latestVersionSource,
      ],
      ['1.0.0', false, '1.2.0', `${t.stubServer.url}/1.2.0.js`],
    )
    const { token } = await t.otherUser()
    const [otherUsersDesk] = expectOk(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(otherUsersDesk.version, '1.3.0')
    const id = deskDefinition.integrationDefinitionId
    const upgradedDesk = expectOk(await t.call('POST', `/v1/integration_definition/${id}`))
    assert.deepEqual([upgradedDesk.version, upgradedDesk.isLatest], ['1.2.0', true])
  })

  it('can correct a wrong digest if the bytes were never downloaded', async () => {
    const newVersion = await buildVersion('desk', '1.4.0')
    serve(newVersion)
    const deskDefinition = await publish({ ...newVersion, sha256: 'f'.repeat(64) }, firstVersion)
    assert.deepEqual([deskDefinition.version, deskDefinition.latestVersion], ['1.2.0', '1.4.0'])
    const id = deskDefinition.integrationDefinitionId
    const upgrade = () => t.call('POST', `/v1/integration_definition/${id}`)
    expectError(await upgrade(), 'bundle_changed')
    const auditEvents = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('subject', '=', id)
      .where('workspace_id', '!=', deskDefinition.workspaceId)
      .orderBy('event_id')
      .execute()
    const detail = JSON.stringify({ version: '1.4.0', sha256: newVersion.sha256 })
    assert.equal(auditEvents.at(-1)?.detail, detail, 'the received bytes are recorded')
    await publish(newVersion, firstVersion)
    assert.equal(expectOk(await upgrade()).version, '1.4.0')
    const later = await publish({ ...newVersion, sha256: 'f'.repeat(64) }, firstVersion)
    assert.deepEqual([later.version, later.latestVersion], ['1.4.0', '1.4.0'])
    assert.equal(expectOk(await upgrade()).isLatest, true)
  })

  const note = (key: string, runtime: number, base = 'https://api.note.example'): Entry => ({
    runtime,
    key,
    name: 'Note',
    category: 'SUPPORT',
    version: '1.0.0',
    hosts: ['api.note.example'],
    base,
    auth: {
      'Api Key': {
        headers: { Authorization: 'Bearer ${api_key}' },
        fields: { api_key: { title: 'API key', secret: true } },
      },
    },
    check: { get: '/me' },
  })
  /** The document with an entry whose bundle, made with the first runtime, has the digest. */
  const publishEntry = async (entry: Entry, bundled = entry) => {
    const { key } = entry
    const code = bundleEntry(bundled, runtimes.get(1) ?? '')
    const built = { key, version: '1.0.0', code, sha256: hash('sha256', code) }
    t.stubServer.serve(`/${key}-1.0.0.js`, (_request, response) => response.end(code))
    const { definitions, version } = document(built)
    const offered = { ...built, sourceUrl: `${t.stubServer.url}/${key}-1.0.0.js`, entry }
    const noteDefinition = { ...definitions[0], ...offered, versions: [offered] }
    clock += 2 * HOUR
    t.stubServer.requests.length = 0
    respond = (response) =>
      response.end(signed({ version, definitions: [...definitions.slice(1), noteDefinition] }))
    assert.equal(await runFetch(), 'ok')
    const all = expectOk(await t.call('GET', `/v1/integration_definition?key=${key}`))
    return { requests: t.stubServer.requests.slice(1), definition: all[0] }
  }

  it('makes the bundle of an entry without a further request, if this release has its runtime', async () => {
    const { requests, definition } = await publishEntry(note('note', 1))
    assert.deepEqual(requests, [])
    const spec = expectOk(
      await t.call('GET', `/v1/integration_definition/${definition.integrationDefinitionId}/spec`),
    )
    assert.equal(spec.auth_specification['Api Key'].api_base_url, 'https://api.note.example')
  })

  it('downloads the bundle of an entry whose runtime only a later release has', async () => {
    const { requests, definition } = await publishEntry(note('later', 99), note('later', 1))
    assert.deepEqual(requests, ['GET /later-1.0.0.js'])
    assert.equal(definition.version, '1.0.0')
  })

  it('does not use an entry that does not have the digest', async () => {
    const { requests, definition } = await publishEntry(
      note('changed', 1, 'https://api.note.example/v2'),
      note('changed', 1),
    )
    assert.deepEqual([requests, definition], [[], undefined])
  })

  it('can move its bundles to other URLs, which is not an upgrade', async () => {
    const newVersion = await buildVersion('desk', '1.4.0')
    clock += 2 * HOUR
    const unsignedDocument = JSON.stringify(document(newVersion, firstVersion))
    const movedDocument = signed(
      JSON.parse(unsignedDocument.replaceAll('/1.4.0.js', '/moved/1.4.0.js')),
    )
    respond = (response) => response.writeHead(200).end(movedDocument)
    assert.equal(await runFetch(), 'ok')
    const deskDefinition = await getExtendedDesk()
    assert.equal(deskDefinition.latestVersionSource, `${t.stubServer.url}/moved/1.4.0.js`)
    const id = deskDefinition.integrationDefinitionId
    const events = await listAuditActions(t, id)
    const upgraded = expectOk(await t.call('POST', `/v1/integration_definition/${id}`))
    assert.deepEqual([upgraded.version, upgraded.updatedAt], ['1.4.0', deskDefinition.updatedAt])
    assert.deepEqual(await listAuditActions(t, id), events)
  })
}
