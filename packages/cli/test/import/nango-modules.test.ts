import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { Linchpin } from '@linchpin/sdk'
import { openImportReport } from '../../src/import/import-report.ts'
import { buildImport } from '../../src/import/nango/build-import.ts'
import { findDefinition, parseMap } from '../../src/import/nango/map-integrations.ts'
import { createNangoClient } from '../../src/import/nango/nango-client.ts'
import { IMPORT_NANGO_USAGE, importNangoCommand } from '../../src/import/nango/nango-command.ts'
import { type NangoReplica, startNangoReplica } from './nango-replica.ts'

describe('The connections of Nango', () => {
  const replicas: NangoReplica[] = []
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.close()
  })

  for (const hasPages of [true, false])
    it(`are listed once each, by a server with pages: ${hasPages}`, async () => {
      const replica = await startNangoReplica({ tokenUrl: '', hasPages })
      replicas.push(replica)
      const fields = { provider: 'github', createdAt: '', credentials: {} }
      for (let index = 0; index < 250; index += 1)
        for (const integration of ['one', 'other'])
          replica.connections.push({ id: `c-${index}`, integration, ...fields })
      const { url: baseUrl, secretKey } = replica
      const found: string[] = []
      for await (const one of createNangoClient({ baseUrl, secretKey, fetch }).listConnections())
        found.push(`${one.provider_config_key} ${one.connection_id}`)
      assert.equal(new Set(found).size, 500)
      assert.equal(found.length, 500)
    })

  it('are never requested over plain http, from another user of a URL, or after a redirect', async () => {
    const options = { secretKey: 'key', fetch }
    for (const baseUrl of ['http://nango.example', 'https://a:b@nango.example', 'ftp://a', 'nango'])
      assert.throws(() => createNangoClient({ ...options, baseUrl }), TypeError, baseUrl)
    createNangoClient({ ...options, baseUrl: 'http://nango.example', allowsHttp: true })
    const replica = await startNangoReplica({ tokenUrl: '' })
    const other = await startNangoReplica({ tokenUrl: '' })
    replicas.push(replica, other)
    replica.intercept = (_url, response) => {
      response.writeHead(307, { location: `${other.url}/connections` }).end()
      return true
    }
    const { url: baseUrl, secretKey } = replica
    const client = createNangoClient({ baseUrl, secretKey, fetch, retryMs: 1 })
    await assert.rejects(client.listConnections().next(), /cannot be reached/)
    assert.deepEqual(other.queries, [])
  })
})

describe('A request to Nango', () => {
  const replicas: NangoReplica[] = []
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.close()
  })

  for (const [title, status, createValue] of [
    ['429 with seconds', 429, () => '1'],
    ['429 with an HTTP date', 429, () => new Date(Date.now() + 2_000).toUTCString()],
    ['503 with seconds', 503, () => '1'],
  ] as const)
    it(`is repeated after a ${title}, not earlier`, async () => {
      const replica = await startNangoReplica({ tokenUrl: '' })
      replicas.push(replica)
      const refusedAt: number[] = []
      replica.intercept = (_url, response) => {
        if (refusedAt.length > 0) return false
        refusedAt.push(Date.now())
        response.writeHead(status, { 'retry-after': createValue() }).end()
        return true
      }
      const { url: baseUrl, secretKey } = replica
      const client = createNangoClient({ baseUrl, secretKey, fetch, retryMs: 1 })
      await client.listConnections().next()
      assert.ok(Date.now() - (refusedAt[0] ?? 0) >= 900)
      assert.equal(replica.queries.length, 2)
    })

  it('waits with all others: none is sent while Nango asks to wait', async () => {
    const replica = await startNangoReplica({ tokenUrl: '' })
    replicas.push(replica)
    const { url: baseUrl, secretKey } = replica
    const client = createNangoClient({ baseUrl, secretKey, fetch, retryMs: 1 })
    replica.limit = { requests: 5, windowMs: 2_500 }
    const sent = Array.from({ length: 12 }, () => client.canReadCredentials())
    assert.deepEqual(new Set(await Promise.all(sent)), new Set([true]))
    assert.ok(replica.refused <= 12, `${replica.refused} refused requests`)
  })
})

describe('The map of integrations', () => {
  const definitions = ['github', 'google-mail', 'google_mail'].map((key, index) => ({
    key,
    integrationDefinitionId: `def_${index}`,
  })) as unknown as Parameters<typeof findDefinition>[2]
  const find = (provider_config_key: string, provider: string, map = parseMap([])) =>
    findDefinition({ provider_config_key, provider }, map, definitions)?.integrationDefinitionId

  it('consists of pairs, lines of a file or a JSON object', () => {
    const expected = [...Object.entries({ a: 'def_1', 'b=c': 'github' })]
    for (const values of [
      ['a=def_1', 'b=c=github'],
      ['# ours\n\na = def_1\r\nb=c=github\n'],
      ['{ "a": "def_1", "b=c": "github" }'],
    ])
      assert.deepEqual([...parseMap(values)], expected)
    for (const wrong of ['a', 'a=', '=b', '{ "a": 1 }', '{'])
      assert.throws(() => parseMap([wrong]), /--map/, wrong)
  })

  it('prefers the mapped definition to the only one with the key of the integration or the provider', () => {
    assert.equal(find('GitHub', 'x'), 'def_0')
    assert.equal(find('my-code', 'github'), 'def_0')
    assert.equal(find('github', 'x', parseMap(['github=def_1'])), 'def_1')
    assert.equal(find('google-mail', 'x'), undefined, 'two definitions fit')
    assert.equal(find('other', 'other'), undefined)
    assert.throws(() => find('github', 'x', parseMap(['github=def_9'])), /no definition "def_9"/)
  })
})

describe('The report of an import', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-report-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('continues after a line that a killed process has left half written', async () => {
    const file = path.join(folder, 'torn.jsonl')
    const line = { integration: 'a', connectionId: '1', outcome: 'checked' } as const
    await writeFile(file, `${JSON.stringify(line)}\n{"integration":"a","conn`)
    const report = openImportReport(file)
    report.add({ ...line, connectionId: '2' })
    report.close()
    const again = openImportReport(file)
    assert.deepEqual(again.find('a', '1'), line)
    assert.equal(again.find('a', '2')?.outcome, 'checked')
    again.close()
  })
})

describe('buildImport', () => {
  const connection = { connection_id: 'c-1', provider_config_key: 'strict', provider: 'strict' }
  const spec = {
    auth_specification: {
      Basic: { input_specification: { properties: { username: {}, password: {} } } },
    },
  }
  const credentials = { type: 'BASIC', username: 'u', password: '' }
  const full = {
    credentials,
    end_user: { id: 'u-1', email: 'u@example.com', organization: { id: 'o-1' } },
    tags: { plan: 'pro', 'not a key': 'x', long: 'x'.repeat(256) },
  }

  it('keeps valid tags, and identifies the account by the end user, the organization or the connection', () => {
    const build = (source?: 'organization' | 'connection') =>
      buildImport(connection, full, { spec }, source).body
    assert.deepEqual(build(), {
      externalId: 'nango:strict/c-1',
      integrationAccountName: 'u@example.com',
      accountIdentifier: 'u-1',
      authType: 'Basic',
      config: { username: 'u', password: '' },
      tags: { plan: 'pro', 'nango.integration': 'strict', 'nango.connection_id': 'c-1' },
    })
    assert.equal(build('organization').accountIdentifier, 'o-1')
    assert.equal(build('connection').accountIdentifier, 'c-1')
  })
})

describe('linchpin import nango: usage', () => {
  const run = async (...args: string[]) => {
    const out: string[] = []
    const code = await importNangoCommand(args, {
      linchpin: new Linchpin({ baseUrl: 'http://127.0.0.1:9', token: 'lp_test' }),
      env: {},
      fetch,
      print: (line) => out.push(line),
      tell: (line) => out.push(line),
      confirm: async () => false,
      sleep: async () => assert.fail('it waits for nothing'),
    })
    return { code, text: out.join('\n') }
  }

  it('prints its help', async () => {
    assert.deepEqual(await run('--help'), { code: 0, text: IMPORT_NANGO_USAGE })
  })

  it('exits with 2 for wrong arguments, and takes no key as an argument', async () => {
    const from = ['--from', 'https://nango.example']
    for (const [args, message] of [
      [[], /--from is missing/],
      [from, /NANGO_SECRET_KEY/],
      [[...from, '--secret-key', 'x'], /Unknown option '--secret-key'/],
      [[...from, '--secret-key-file', '/nowhere'], /--secret-key-file: .* cannot be read/],
      [[...from, '--identifier', 'x'], /--identifier/],
      [[...from, '--concurrency', '33'], /--concurrency/],
    ] as const) {
      const { code, text } = await run(...args)
      assert.deepEqual([code, message.test(text)], [2, true], text)
    }
  })
})
