import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { parseAllowList } from '../../src/index.ts'
import { createBundle, SMALL_LIMITS, startTestRunner, wrapInMain } from './harness.ts'

const TENANT = { workspaceId: 'workspace' }

/** Requests `params.url` in three ways and returns the code of each failure, or the status. */
const REQUESTING_BUNDLE = createBundle(
  wrapInMain(`
    const { url } = params
    const byModule = (name) => new Promise((resolve) => {
      try {
        require(name).get(url, (res) => { res.resume(); resolve(res.statusCode) })
          .on('error', (error) => resolve(error.code))
      } catch (error) { resolve(error.code) }
    })
    const byFetch = fetch(url, { redirect: params.redirect ?? 'follow' })
      .then((res) => res.status, (error) => error.code ?? error.cause?.code ?? error.name)
    return Promise.all([byModule('http'), byModule('https'), byFetch])`),
)

const HOSTS = [
  '127.0.0.1',
  'localhost',
  'localhost.',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127.0.0.53',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fc00::1]',
  '[fe80::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '[fd00:ec2::254]',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'inside.test',
  'mixed.test',
  'mapped.test',
  'unknown.test',
]

/** Names as a hostile resolver would resolve them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
  'inside.test': ['127.0.0.1'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
}

describe('the network, from inside a bundle', () => {
  let canary: Server
  let redirector: Server
  let testRunner: ReturnType<typeof startTestRunner>
  let canaryHits = 0
  let port = 0
  let openPort = 0

  before(async () => {
    canary = createServer((_request, response) => {
      canaryHits++
      response.end('secret')
    })
    port = await listen(canary)
    redirector = createServer((request, response) => {
      response.writeHead(302, { location: decodeURIComponent(request.url?.slice(2) ?? '') }).end()
    })
    openPort = await listen(redirector)
    testRunner = startTestRunner({
      allow: parseAllowList(`127.0.0.1:${openPort}`),
      resolve: async (host) => {
        const addresses = NAMES[host]
        if (addresses === undefined) throw new Error('ENOTFOUND')
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      },
    })
  })

  after(async () => {
    await testRunner.stop()
    canary.close()
    redirector.close()
  })

  const requestFromBundle = async (params: Record<string, unknown>) => {
    const call = {
      bundle: REQUESTING_BUNDLE,
      tenant: TENANT,
      command: 'CHECK',
      params,
      limits: SMALL_LIMITS,
    } as const
    return testRunner.runner.run(call)
  }

  for (const host of HOSTS) {
    it(`rejects ${host}, and reports only that the name is not found`, async () => {
      for (const scheme of ['http', 'https']) {
        const { value, lastExchange } = await requestFromBundle({
          url: `${scheme}://${host}:${port}/`,
        })
        assert.ok(Array.isArray(value))
        const codes = value.filter((code) => code !== 'ERR_INVALID_PROTOCOL')
        assert.deepEqual(codes, ['ENOTFOUND', 'ENOTFOUND'])
        assert.equal(lastExchange, 'refused')
      }
      assert.equal(canaryHits, 0)
    })
  }

  for (const url of ['file:///etc/passwd', 'ftp://10.0.0.1/', 'unix:/run/x', 'ws://10.0.0.1/']) {
    it(`refuses ${url}`, async () => {
      const { value } = await requestFromBundle({ url })
      assert.ok(Array.isArray(value) && value.every((code) => typeof code === 'string'))
    })
  }

  it('reaches what the operator allows, so the rejections above are meaningful', async () => {
    const { value } = await requestFromBundle({
      url: `http://127.0.0.1:${openPort}/?x`,
      redirect: 'manual',
    })
    assert.deepEqual(value, [302, 'ERR_INVALID_PROTOCOL', 302])
  })

  it('rejects the target of a redirect', async () => {
    const target = encodeURIComponent(`http://127.0.0.1:${port}/`)
    const { value } = await requestFromBundle({ url: `http://127.0.0.1:${openPort}/?${target}` })
    assert.deepEqual(value, [302, 'ERR_INVALID_PROTOCOL', 'ENOTFOUND'])
    assert.equal(canaryHits, 0)
  })

  it('gives a forbidden name and an unknown one the same error', async () => {
    const texts = await Promise.all(
      ['inside.test', 'unknown.test'].map(async (host) => {
        const code = `return fetch('http://${host}/').catch((e) => [e.message, e.cause?.message])`
        const call = {
          bundle: createBundle(wrapInMain(code)),
          tenant: TENANT,
          command: 'CHECK',
          params: {},
        } as const
        const { value } = await testRunner.runner.run(call)
        return JSON.stringify(value).replaceAll(host, 'host')
      }),
    )
    assert.equal(texts[0], texts[1])
  })
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
