import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import {
  createBundlePolicy,
  expectEgressError,
  openEgressGateway,
  serve,
} from '../../../test/egress/egress-test-support.ts'
import {
  type DnsReply,
  startNameServer,
  type TestNameServer,
} from '../../../test/egress/test-name-server.ts'
import type { HostResolver } from '../address-policy.ts'
import { createNameResolver, type NameResolverOptions } from './name-resolver.ts'

const DNS_RECORDS: Readonly<Record<string, DnsReply>> = {
  // The root: a control query that decides whether the name servers answer at all.
  '': 'no-response',
  'both.test': ['2001:db8::7', '192.0.2.1', '192.0.2.2'],
  'four.test': ['192.0.2.4'],
  'broken.test': 'SERVFAIL',
  'db.one.corp': ['192.0.2.11'],
  'db.two.corp': ['192.0.2.12'],
  'a.db.two.corp': ['192.0.2.13'],
  'loopback.test': ['127.0.0.1'],
}

describe('createNameResolver', () => {
  let server: TestNameServer
  let folder: string
  before(async () => {
    server = await startNameServer((name) =>
      name.endsWith('dead.test') ? 'no-response' : (DNS_RECORDS[name] ?? 'NXDOMAIN'),
    )
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-names-'))
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  const resolver = (options: NameResolverOptions = {}) =>
    createNameResolver({
      servers: [server.address],
      hostsFile: path.join(folder, 'none'),
      resolvConf: path.join(folder, 'none'),
      ...options,
    })
  const addresses = async (resolve: HostResolver, host: string) =>
    (await resolve(host)).map(({ address }) => address)
  const writeHostsFile = async (name: string, text: string) => {
    const filePath = path.join(folder, name)
    await writeFile(filePath, text)
    return filePath
  }

  it('resolves the A and AAAA records of a name, one family after the other', async () => {
    const addressList = await addresses(resolver(), 'Both.test')
    assert.deepEqual(addressList.toSorted(), ['192.0.2.1', '192.0.2.2', '2001:db8::7'])
    assert.notEqual(addressList[1], '2001:db8::7')
    assert.deepEqual(await resolver()('four.test'), [{ address: '192.0.2.4', family: 4 }])
  })

  it('rejects with the code of the name server', async () => {
    const resolve = resolver()
    await assert.rejects(resolve('missing.test'), { code: 'ENOTFOUND' })
    await assert.rejects(resolve('broken.test'), { code: 'ESERVFAIL' })
    await assert.rejects(resolve(`${'x'.repeat(64)}.test`))
  })

  it('rejects with egress_unavailable when no name server has responded for a minute', async () => {
    let clock = 0
    const resolve = resolver({ now: () => clock, timeoutMs: 100 })
    const unavailable = { code: 'egress_unavailable', systemCode: 'EAI_AGAIN' }
    await assert.rejects(resolve('1.dead.test'), unavailable)
    assert.deepEqual(await addresses(resolve, 'four.test'), ['192.0.2.4'])
    clock += 60_000
    await assert.rejects(resolve('2.dead.test'), { code: 'ETIMEOUT' })
    clock += 1
    await assert.rejects(resolve('3.dead.test'), unavailable)
    await assert.rejects(resolve('broken.test'), unavailable)
  })

  it('never blames the own network for a name whose servers are broken, if the name servers answer for the root', async (test) => {
    const healthy = await startNameServer((name) =>
      name === '' ? [] : name.includes('dead') ? 'no-response' : 'SERVFAIL',
    )
    test.after(() => healthy.close())
    let clock = 0
    const resolve = resolver({ servers: [healthy.address], now: () => clock, timeoutMs: 100 })
    await assert.rejects(resolve('broken.test'), { code: 'ESERVFAIL' })
    clock += 60_001
    await assert.rejects(resolve('dead.test'), { code: 'ETIMEOUT' })
    await assert.rejects(resolve('2.broken.test'), { code: 'ESERVFAIL' })
    assert.equal(healthy.queries.filter((name) => name === '').length, 2)
  })

  it('rejects with egress_unavailable when the port of the name server is closed', async () => {
    const closed = await startNameServer(() => 'no-response')
    await closed.close()
    const resolve = resolver({ servers: [closed.address], timeoutMs: 1_000 })
    await assert.rejects(resolve('four.test'), { code: 'egress_unavailable' })
  })

  it('resolves localhost without a name server, and names of /etc/hosts before it', async () => {
    const hostsFile = await writeHostsFile(
      'hosts',
      '# 192.0.2.66 four.test\n192.0.2.77\tFour.test alias # x\nfd00::1 four.test\nno-address x\n',
    )
    const resolve = resolver({ hostsFile })
    const before = server.queries.length
    assert.deepEqual((await addresses(resolve, 'four.test')).toSorted(), ['192.0.2.77', 'fd00::1'])
    assert.deepEqual(await addresses(resolve, 'alias'), ['192.0.2.77'])
    assert.deepEqual((await addresses(resolve, 'a.localhost')).toSorted(), ['127.0.0.1', '::1'])
    assert.equal(server.queries.length, before)
  })

  it('reads /etc/hosts again after a change', async () => {
    let clock = 0
    const hostsFile = await writeHostsFile('changing', '192.0.2.1 four.test\n')
    const resolve = resolver({ hostsFile, now: () => clock })
    assert.deepEqual(await addresses(resolve, 'four.test'), ['192.0.2.1'])
    await writeHostsFile('changing', '192.0.2.200 four.test\n')
    clock += 1_000
    assert.deepEqual(await addresses(resolve, 'four.test'), ['192.0.2.200'])
    await rm(hostsFile)
    clock += 1_000
    assert.deepEqual(await addresses(resolve, 'four.test'), ['192.0.2.4'])
  })

  it('tries search domains as configured in resolv.conf, by the number of dots', async () => {
    const search = (text: string) =>
      writeHostsFile('resolv.conf', `nameserver 192.0.2.53\n${text}\n`)
    const one = resolver({ resolvConf: await search('domain x\nsearch one.corp two.corp # three') })
    assert.deepEqual(await addresses(one, 'db'), ['192.0.2.11'])
    assert.deepEqual(await addresses(one, 'four.test'), ['192.0.2.4'])
    assert.deepEqual(await addresses(one, 'a.db'), ['192.0.2.13'])
    await assert.rejects(one('nothing'), { code: 'ENOTFOUND' })
    const conf = await search('search test\noptions timeout:1 ndots:3')
    const before = server.queries.length
    await addresses(resolver({ resolvConf: conf }), 'four.test')
    assert.deepEqual(server.queries[before], 'four.test.test')
  })

  it('sends one query for concurrent lookups of a name, and caches results and failures for 2 s', async () => {
    let clock = 0
    const resolve = resolver({ now: () => clock })
    const before = server.queries.length
    await Promise.all([resolve('four.test'), resolve('four.test'), resolve('FOUR.test')])
    await resolve('four.test')
    for (const _ of [1, 2]) await assert.rejects(resolve('missing.test'))
    assert.equal(server.queries.length, before + 4)
    clock += 2_000
    await resolve('four.test')
    await assert.rejects(resolve('missing.test'))
    assert.equal(server.queries.length, before + 8)
  })

  it('does not delay other names, files and hashes while a name server does not respond', async () => {
    const order: string[] = []
    const resolve = resolver()
    const lookUpUnresponsiveNames = Array.from({ length: 60 }, (_, settleFrom) =>
      assert
        .rejects(resolve(`${settleFrom}.dead.test`), { code: 'ETIMEOUT' })
        .then(() => order.push('dead')),
    )
    await Promise.all([
      resolve('four.test').then(() => order.push('name')),
      readFile(import.meta.filename).then(() => order.push('file')),
      promisify(pbkdf2)('a', 'b', 1, 16, 'sha256').then(() => order.push('hash')),
    ])
    assert.deepEqual(order.toSorted(), ['file', 'hash', 'name'])
    await Promise.all(lookUpUnresponsiveNames)
  })

  it('fails at once beyond 16 lookups of a link and 64 of a workspace, without affecting other tenants', async () => {
    const resolve = resolver()
    const link = { workspaceId: 'w', linkId: 'l' }
    const lookUpUnresponsiveNames = (count: number, prefix: string, tenant: object) =>
      Array.from({ length: count }, (_, settleFrom) =>
        resolve(`${prefix}${settleFrom}.dead.test`, { workspaceId: 'w', ...tenant }).catch(
          (error) => error.systemCode ?? error.code,
        ),
      )
    const ofLink = lookUpUnresponsiveNames(20, 'a', link)
    const ofWorkspace = lookUpUnresponsiveNames(52, 'b', {})
    const settleFrom = (list: readonly Promise<unknown>[], from: number) =>
      Promise.all(list.slice(from))
    assert.deepEqual(await settleFrom(ofLink, 16), Array(4).fill('EAI_AGAIN'))
    assert.deepEqual(await settleFrom(ofWorkspace, 48), Array(4).fill('EAI_AGAIN'))
    for (const tenant of [{ workspaceId: 'other', linkId: 'm' }, undefined])
      assert.equal((await resolve('four.test', tenant)).length, 1)
    const rest = await Promise.all([...ofLink.slice(0, 16), ...ofWorkspace.slice(0, 48)])
    assert.deepEqual(rest, Array(64).fill('ETIMEOUT'))
    assert.equal((await resolve('both.test', link)).length, 3)
  })

  it('gives the egress gateway the same message for an unresponsive, a missing and a forbidden name', async (test) => {
    const port = await serve(test, (_request, response) => response.end('here'))
    const egressGateway = openEgressGateway(test, { resolve: resolver() })
    const countQueries = (host: string) =>
      egressGateway.request(
        { method: 'GET', url: `http://${host}:${port}/` },
        createBundlePolicy({ timeoutMs: 20_000 }),
      )
    const errors = await Promise.all(
      ['x.dead.test', 'missing.test', 'four.test'].map((host) =>
        expectEgressError(countQueries(host)),
      ),
    )
    for (const error of errors) {
      assert.equal(error.code, 'refused')
      assert.equal(error.message, errors[0]?.message)
    }
    assert.equal(Buffer.from((await countQueries('loopback.test')).body).toString(), 'here')
  })
})
