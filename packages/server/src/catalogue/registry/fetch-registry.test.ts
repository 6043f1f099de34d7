import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createGate, createRunner, parseAllowList } from '@linchpin/runner'
import { auditOf, fine, refused, startWorld, type World } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { type BuiltVersion, buildVersion } from '../../../test/small-catalogue.ts'
import { createBundleStore } from '../../definition/bundle-store.ts'
import { createLog } from '../../http/log.ts'
import { parseKeys } from '../../vault/key-ring.ts'
import { createVault } from '../../vault/vault.ts'
import { createCatalogueStore } from '../catalogue-store.ts'
import { EMPTY_CATALOGUE } from '../empty-catalogue.ts'
import { createInstanceKeyReader, instanceKeyOf } from '../instance-key.ts'
import { fetchRegistry } from './fetch-registry.ts'
import { signRegistry } from './sign-registry.ts'

const HOUR = 3_600_000

interface SigningTimes {
  readonly issuedAt: number
  readonly expiresAt: number
}

describe('a registry, on SQLite', () => promises(async () => undefined))
describePostgres('a registry, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('registry')),
)

function promises(url: () => Promise<string> | Promise<undefined>): void {
  let t: World
  let one: BuiltVersion
  let two: BuiltVersion
  let clock = Date.now()
  const pair = generateKeyPairSync('ed25519')
  let keys: readonly KeyObject[] = [pair.publicKey]
  const signed = (document: object, times: Partial<SigningTimes> = {}, key = pair.privateKey) =>
    signRegistry(document, instanceKeyOf(key), {
      issuedAt: clock,
      expiresAt: clock + 24 * HOUR,
      ...times,
    })
  let answer: (response: ServerResponse, etag: string | undefined) => void
  const gate = createGate({ allow: parseAllowList('127.0.0.0/8') })
  const runner = createRunner({ gate, children: 1 })
  const fetchIt = (isStart = false) =>
    fetchRegistry(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        bundledCatalogue: EMPTY_CATALOGUE,
        log: createLog('silent'),
        now: () => clock,
        gate,
        runner,
        registryUrl: `${t.origin.url}/registry.json`,
        registryKeys: keys,
      },
      { isStart },
    )
  const serve = ({ version, code }: BuiltVersion, text = code) =>
    t.origin.serve(`/${version}.js`, (_request, response) => response.end(text))
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
        sourceUrl: `${t.origin.url}/${versions[0]?.version}.js`,
        sha256: versions[0]?.sha256,
        versions: versions.map(({ version, sha256 }) => ({
          version,
          sha256,
          sourceUrl: `${t.origin.url}/${version}.js`,
        })),
      },
    ],
  })
  const desk = async () => fine(await t.call('GET', '/v1/integration_definition'))[0]
  const whole = async () => {
    const { integrationDefinitionId: id } = await desk()
    return fine(await t.call('GET', `/v1/integration_definition/${id}`))
  }

  before(async () => {
    ;[one, two] = await Promise.all([
      buildVersion('desk', '1.0.0'),
      buildVersion('desk', '1.1.0', { path: '/v2' }),
    ])
    const database = await url()
    t = await startWorld({ now: () => clock, ...(database && { url: database }) })
    t.origin.serve('/registry.json', (request, response) =>
      answer(response, request.headers['if-none-match']),
    )
    serve(one)
    serve(two)
  })
  beforeEach(() => {
    clock += 2 * HOUR
    t.origin.requests.length = 0
  })
  after(async () => {
    await t.close()
    await Promise.all([runner.close(), gate.close()])
  })

  it('adds what it offers, for every workspace', async () => {
    answer = (response) => response.writeHead(200, { etag: '"a"' }).end(signed(document(one)))
    assert.equal(await fetchIt(true), 'ok')
    const shown = await whole()
    assert.deepEqual([shown.key, shown.version, shown.isLatest], ['desk', '1.0.0', true])
    assert.deepEqual(shown.releaseStage, { key: 'BETA', name: 'Beta' })
    assert.equal(shown.sourceUrl, `${t.origin.url}/1.0.0.js`)
    assert.equal(shown.icon, 'https://cdn.example/desk.svg')
    assert.deepEqual(t.origin.requests, ['GET /registry.json', 'GET /1.0.0.js'])
  })

  it('is signed with one key pair, however many nodes make it at once', async () => {
    const deps = { database: t.database, now: () => clock }
    const keyRing = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
    const nodes = [1, 2, 3, 4].map(() =>
      createInstanceKeyReader({ ...deps, vault: createVault({ ...deps, keys: keyRing }) })(),
    )
    const made = await Promise.all(nodes)
    assert.equal(new Set(made.map(({ publicKey }) => publicKey)).size, 1)
    const { body } = await t.app.inject('/catalogue/jwks.json')
    assert.equal(JSON.parse(body).keys[0].x, made[0]?.publicKey)
  })

  it('is asked by one node, once an hour, and at a start', async () => {
    answer = (response, etag) => response.writeHead(etag === '"a"' ? 304 : 500).end()
    const all = await Promise.all([fetchIt(), fetchIt(), fetchIt()])
    assert.deepEqual(all.toSorted(), ['early', 'early', 'unchanged'])
    assert.equal(await fetchIt(true), 'early', 'just now')
    clock += 120_000
    assert.equal(await fetchIt(), 'early')
    assert.equal(await fetchIt(true), 'unchanged')
    assert.deepEqual(t.origin.requests, ['GET /registry.json', 'GET /registry.json'])
  })

  it('changes nothing when it is away, no registry, or too large, and is asked again soon', async () => {
    const before = await whole()
    const wrong = document(one)
    const texts = [
      '{"version":2,"definitions":[]}',
      JSON.stringify({ ...wrong, definitions: [...wrong.definitions, ...wrong.definitions] }),
      JSON.stringify(wrong).replace('SUPPORT', 'NONSENSE'),
      JSON.stringify(wrong).replace('BETA', 'CUSTOM'),
      JSON.stringify(wrong).replaceAll(one.sha256, 'abc'),
      JSON.stringify(wrong).replaceAll('1.0.0', '1.0'),
      JSON.stringify(wrong).replace('https://cdn', 'javascript://cdn'),
    ]
    const bodies = ['x'.repeat(5_000_000), ...texts.map((text) => () => signed(JSON.parse(text)))]
    for (const each of bodies) {
      clock += 2 * HOUR
      const body = typeof each === 'string' ? each : each()
      answer = (response) => response.writeHead(200).end(body)
      assert.equal(await fetchIt(), 'failed', body.slice(0, 60))
    }
    clock += 400_000
    answer = (response) => response.writeHead(503).end()
    assert.equal(await fetchIt(), 'failed')
    assert.deepEqual(await whole(), before)
  })

  it('is refused and changes nothing when its document is unsigned, wrongly signed, stale or rolled back', async () => {
    const before = await whole()
    const other = generateKeyPairSync('ed25519').privateKey
    const newer = document(two)
    const parts = () => JSON.parse(signed(newer))
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const cases: [name: string, body: () => string][] = [
      ['unsigned', () => JSON.stringify(newer)],
      ['empty', () => ''],
      ['signed by another key', () => signed(newer, {}, other)],
      ['another payload', () => JSON.stringify({ ...parts(), payload: encode(newer) })],
      ['algorithm none', () => JSON.stringify({ ...parts(), protected: encode({ alg: 'none' }) })],
      ['no signature', () => JSON.stringify({ ...parts(), signature: '' })],
      ['expired', () => signed(newer, { expiresAt: clock - 1 })],
      ['expires now', () => signed(newer, { expiresAt: clock })],
      ['issued in the future', () => signed(newer, { issuedAt: clock + HOUR })],
      ['rolled back', () => signed(newer, { issuedAt: clock - 100 * HOUR })],
    ]
    for (const [name, body] of cases) {
      clock += 2 * HOUR
      answer = (response) => response.writeHead(200, { etag: '"evil"' }).end(body())
      assert.equal(await fetchIt(), 'refused', name)
      assert.deepEqual(await whole(), before, name)
    }
    clock += 400_000
    answer = (response, etag) => {
      assert.notEqual(etag, '"evil"')
      response.writeHead(200, { etag: '"a"' }).end(signed(document(one)))
    }
    assert.equal(await fetchIt(), 'ok', 'asked again after five minutes')
  })

  it('is asked without its ETag once the stored document has expired or its key was replaced', async () => {
    const etags: (string | undefined)[] = []
    answer = (response, etag) => {
      etags.push(etag)
      response.writeHead(200, { etag: '"a"' }).end(signed(document(one)))
    }
    assert.equal(await fetchIt(), 'ok')
    clock += 25 * HOUR
    assert.equal(await fetchIt(), 'ok')
    const next = generateKeyPairSync('ed25519')
    keys = [next.publicKey]
    clock += 2 * HOUR
    assert.equal(await fetchIt(), 'refused', 'the former key')
    keys = [pair.publicKey, next.publicKey]
    clock += 2 * HOUR
    answer = (response, etag) => {
      etags.push(etag)
      response.writeHead(200, { etag: '"a"' }).end(signed(document(one), {}, next.privateKey))
    }
    assert.equal(await fetchIt(), 'ok', 'either of two keys')
    keys = [pair.publicKey]
    assert.deepEqual(etags, ['"a"', undefined, undefined, '"a"'])
  })

  it('moves workspaces without accounts, and tells the others of the newest', async () => {
    t.origin.serve('/check', (_request, response) => response.end('{}'))
    const { integrationDefinitionId: id } = await desk()
    await t.connect(id, { config: { api_key: 'key', base_url: t.origin.url } })
    answer = (response) => response.writeHead(200, { etag: '"b"' }).end(signed(document(one, two)))
    assert.equal(await fetchIt(), 'ok')
    const shown = await whole()
    assert.deepEqual(
      [shown.version, shown.isLatest, shown.latestVersion, shown.latestVersionSource],
      ['1.0.0', false, '1.1.0', `${t.origin.url}/1.1.0.js`],
    )
    const { token } = await t.stranger()
    const [theirs] = fine(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(theirs.version, '1.1.0')
  })

  it('whose bundle has other bytes than it says moves nobody, and cannot be upgraded to', async () => {
    const three = await buildVersion('desk', '1.2.0')
    serve(three, `${three.code}\n`)
    answer = (response) => response.writeHead(200).end(signed(document(one, two, three)))
    assert.equal(await fetchIt(), 'ok')
    const shown = await whole()
    assert.deepEqual([shown.version, shown.latestVersion], ['1.0.0', '1.2.0'])
    const { token } = await t.stranger()
    const [theirs] = fine(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(theirs.version, '1.1.0')
    const id = shown.integrationDefinitionId
    for (const rest of ['', '/preview'])
      refused(await t.call('POST', `/v1/integration_definition/${id}${rest}`), 'bundle_changed')
    assert.equal((await auditOf(t, id)).at(-1), 'definition.bundle_changed')
    assert.equal((await whole()).version, '1.0.0')
  })

  it('is had at last when its bytes are right again', async () => {
    const three = await buildVersion('desk', '1.2.0')
    serve(three)
    assert.equal(await fetchIt(), 'ok')
    const { token } = await t.stranger()
    const [theirs] = fine(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(theirs.version, '1.2.0')
  })

  const tell = async (...versions: BuiltVersion[]) => {
    clock += 2 * HOUR
    answer = (response) => response.writeHead(200).end(signed(document(...versions)))
    assert.equal(await fetchIt(), 'ok')
    return whole()
  }

  it('takes a version back: the one before is the latest again, and nobody is moved', async () => {
    const [three, four] = await Promise.all([
      buildVersion('desk', '1.2.0'),
      buildVersion('desk', '1.3.0'),
    ])
    serve(four)
    const shown = await tell(four, three, two, one)
    assert.deepEqual([shown.version, shown.latestVersion], ['1.0.0', '1.3.0'])
    const back = await tell(three, two, one)
    assert.deepEqual(
      [back.version, back.isLatest, back.latestVersion, back.latestVersionSource],
      ['1.0.0', false, '1.2.0', `${t.origin.url}/1.2.0.js`],
    )
    const { token } = await t.stranger()
    const [theirs] = fine(await t.call('GET', '/v1/integration_definition', { token }))
    assert.equal(theirs.version, '1.3.0')
    const id = shown.integrationDefinitionId
    const moved = fine(await t.call('POST', `/v1/integration_definition/${id}`))
    assert.deepEqual([moved.version, moved.isLatest], ['1.2.0', true])
  })

  it('corrects a digest that it told wrongly, as long as nobody had the bytes', async () => {
    const five = await buildVersion('desk', '1.4.0')
    serve(five)
    const shown = await tell({ ...five, sha256: 'f'.repeat(64) }, one)
    assert.deepEqual([shown.version, shown.latestVersion], ['1.2.0', '1.4.0'])
    const id = shown.integrationDefinitionId
    const upgrade = () => t.call('POST', `/v1/integration_definition/${id}`)
    refused(await upgrade(), 'bundle_changed')
    const told = await t.database.read
      .selectFrom('audit_events')
      .select('detail')
      .where('subject', '=', id)
      .where('workspace_id', '!=', shown.workspaceId)
      .execute()
    const detail = JSON.stringify({ version: '1.4.0', sha256: five.sha256 })
    assert.equal(told.at(-1)?.detail, detail, 'the bytes that came are told')
    await tell(five, one)
    assert.equal(fine(await upgrade()).version, '1.4.0')
    const later = await tell({ ...five, sha256: 'f'.repeat(64) }, one)
    assert.deepEqual([later.version, later.latestVersion], ['1.4.0', '1.4.0'])
    assert.equal(fine(await upgrade()).isLatest, true)
  })

  it('moves its bundles to other addresses, which are told, and is no upgrade', async () => {
    const five = await buildVersion('desk', '1.4.0')
    clock += 2 * HOUR
    const plain = JSON.stringify(document(five, one))
    const moved = signed(JSON.parse(plain.replaceAll('/1.4.0.js', '/moved/1.4.0.js')))
    answer = (response) => response.writeHead(200).end(moved)
    assert.equal(await fetchIt(), 'ok')
    const shown = await whole()
    assert.equal(shown.latestVersionSource, `${t.origin.url}/moved/1.4.0.js`)
    const id = shown.integrationDefinitionId
    const events = await auditOf(t, id)
    const upgraded = fine(await t.call('POST', `/v1/integration_definition/${id}`))
    assert.deepEqual([upgraded.version, upgraded.updatedAt], ['1.4.0', shown.updatedAt])
    assert.deepEqual(await auditOf(t, id), events)
  })
}
