import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  fixturesPath,
  loadFixtures,
  reply,
  runIntegrationTest,
  sampleConfig,
  startTestSandbox,
  type TestSandbox,
} from '@linchpin/kit/testing'
import type { Spec } from '@linchpin/runner/protocol'
import { createFindDeclared, loadCatalogue } from './index.ts'

/** What left the runner, and what each call returned or threw, in order. */
type Record = unknown[]
type Fixtures = Awaited<ReturnType<typeof loadFixtures>>

describe('an entry in the host', async () => {
  const catalogue = await loadCatalogue()
  const findDeclared = createFindDeclared(catalogue)
  const records: { readonly sandbox: Record; readonly host: Record } = { sandbox: [], host: [] }
  let sandbox: TestSandbox
  let host: TestSandbox
  before(async () => {
    sandbox = await startTestSandbox(observe(records.sandbox))
    host = await startTestSandbox({ ...observe(records.host), findDeclared })
  })
  after(() => Promise.all([sandbox?.close(), host?.close()]))

  const entries = catalogue.entries.flatMap(({ key, versions }) =>
    versions.flatMap(({ entry, ...version }) => (entry === undefined ? [] : [{ key, ...version }])),
  )
  const runBoth = async <T>(run: (where: TestSandbox) => Promise<T>) => {
    records.sandbox.length = 0
    records.host.length = 0
    const [expected, found] = await Promise.all([run(sandbox), run(host)])
    assert.ok(records.sandbox.length > 0)
    assert.deepEqual(records.host, records.sandbox)
    assert.deepEqual(found, expected)
  }

  it('is each of at least 63 integrations', () => {
    assert.ok(new Set(entries.map(({ key }) => key)).size >= 63)
    for (const { key, version, sha256 } of entries) {
      const declared = findDeclared({ sha256, load: async () => assert.fail('not loaded') })
      // Of a release of the runtime without `query` in SPEC.
      const isLeftToSandbox = key === 'moosend' && version === '1.0.0'
      assert.equal(declared === undefined, isLeftToSandbox, `${key} ${version}`)
    }
  })

  for (const { key, version, spec } of entries)
    it(`${key} ${version} sends the requests and has the results of the sandbox`, async () => {
      const code = new TextDecoder().decode(await catalogue.bundle(key, version))
      const folder = fileURLToPath(new URL('../entries/', import.meta.url))
      const fixtures = await loadFixtures(fixturesPath(`${folder}${key}.json`))
      await runBoth((where) => runIntegrationTest(where, code, fixtures, { withSignIn: false }))
      await runBoth((where) => runFailures(where, code, JSON.parse(spec), fixtures))
    })
})

/** What fixtures do not have: a provider that cannot be reached, and credentials that cannot be sent. */
async function runFailures(where: TestSandbox, code: string, spec: Spec, fixtures: Fixtures) {
  const hosts = spec['x-hosts']
  for (const authType of Object.keys(spec.auth_specification)) {
    const fixture = { ...fixtures, ...fixtures.types?.[authType] }
    const config = sampleConfig(spec, authType, fixture.config)
    const unsendable = Object.entries(config).map(([name, value]) => [name, `${value}\n\u{1F511}`])
    const check = (configured: object, allowed = hosts) =>
      where.run({ code, command: 'CHECK', config: { ...configured, authType }, hosts: allowed })
    where.provider.respondWith(() => reply(0))
    await check(config)
    await check(config, [])
    await check({}).catch(() => {})
    await check(Object.fromEntries(unsendable)).catch(() => {})
    where.provider.respondWith(() => reply(302, '', { location: 'https://elsewhere.example/' }))
    await check(config)
    where.provider.respondWith(() => reply(200, '\u{FEFF}{"almost": "JSON"'))
    await check(config)
  }
}

function observe(record: Record): Parameters<typeof startTestSandbox>[0] {
  return {
    onRequest: ({ method, url, headers, body }) =>
      record.push({
        method,
        url,
        headers: Object.entries(headers ?? {}),
        body: body && Buffer.from(body).toString(),
      }),
    onEnd: ({ command }, end) =>
      record.push({ command, ...end, ...(end instanceof Error && { message: end.message }) }),
  }
}
