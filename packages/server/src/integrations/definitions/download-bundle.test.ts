import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { type StubServer, startStubServer } from '../../../test/stub-server.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  countRows,
  expectCreated,
  expectError,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const MB = 1024 * 1024

describe('POST /v1/integration_definition: download', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const post = (sourceUrl: string) =>
    t.call('POST', '/v1/integration_definition', {
      body: { name: `Thing ${crypto.randomUUID()}`, sourceUrl, integrationType: 'CRM' },
    })
  const serve = (handler: (response: ServerResponse) => unknown) =>
    t.stubServer.serve(`/${crypto.randomUUID()}.js`, (_request, response) => handler(response))

  it('400 source_url_forbidden: no URL, not http, or with a user name', async () => {
    for (const url of [
      'nonsense',
      'javascript:alert(1)',
      'data:text/javascript,exports.default=()=>{}',
      'file:///etc/passwd',
      'ftp://cdn.example.com/a.js',
      '//cdn.example.com/a.js',
      'https://',
      'https://user@cdn.example.com/a.js',
      'https://user:secret@cdn.example.com/a.js',
    ]) {
      const { message, errors } = expectError(await post(url), 'source_url_forbidden')
      assert.deepEqual(Object.keys(errors), ['sourceUrl'])
      assert.equal(errors.sourceUrl[0].code, 'source_url_forbidden')
      assert.ok(!message.includes('secret'))
    }
  })

  it('400 source_unreachable: a closed port', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    expectError(await post(`http://127.0.0.1:${port}/a.js`), 'source_unreachable')
  })

  it('400 source_unreachable: a connection closed during the response', async () => {
    const url = serve((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setTimeout(() => response.destroy(), 10)
    })
    expectError(await post(url), 'source_unreachable')
  })

  it('400 source_unreachable: reports a status other than 200, but not the body', async () => {
    for (const status of [204, 301, 401, 404, 500]) {
      const url = serve((response) =>
        response.writeHead(status).end(status === 204 ? undefined : 'inner-page'),
      )
      const { message } = expectError(await post(url), 'source_unreachable')
      assert.match(message, new RegExp(String(status)))
      assert.ok(!message.includes('inner-page'))
    }
  })

  it('400 source_unreachable: endless redirects', async () => {
    const url = t.stubServer.serve('/round.js', (_request, response) =>
      response.writeHead(302, { location: '/round.js' }).end(),
    )
    expectError(await post(url), 'source_unreachable')
  })

  it('201: follows a redirect and stores the given URL', async () => {
    const target = t.stubServer.bundle(createMiniBundle())
    const url = serve((response) => response.writeHead(307, { location: target }).end())
    assert.equal(expectCreated(await post(url)).sourceUrl, url)
  })

  it('201: accepts a compressed bundle', async () => {
    const compressed = gzipSync(createMiniBundle())
    expectCreated(
      await post(
        serve((response) =>
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed),
        ),
      ),
    )
  })

  it('400 source_too_large: more than 5 MB, with and without content-length; 201 for exactly 5 MB', async () => {
    const code = createMiniBundle()
    const padCode = (size: number) => code + ' '.repeat(size - Buffer.byteLength(code))
    expectError(await post(t.stubServer.bundle(padCode(5 * MB + 1))), 'source_too_large')
    const chunked = serve((response) => {
      response.write(padCode(5 * MB))
      response.end(' ')
    })
    expectError(await post(chunked), 'source_too_large')
    expectCreated(await post(t.stubServer.bundle(padCode(5 * MB))))
  })

  it('400 source_too_large: a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * MB))
    const before = process.memoryUsage.rss()
    const url = serve((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    expectError(await post(url), 'source_too_large')
    assert.ok(
      process.memoryUsage.rss() - before < 150 * MB,
      'the response was decompressed completely',
    )
  })

  it('400 bundle_invalid: an empty response or binary data', async () => {
    expectError(await post(t.stubServer.bundle('')), 'bundle_invalid')
    expectError(
      await post(t.stubServer.bundle(Buffer.from([0xff, 0xfe, 0x00, 0x80]))),
      'bundle_invalid',
    )
  })

  it('stores nothing of rejected bundles', async () => {
    const before = [await countRows(t, 'definitions'), await countRows(t, 'bundles')]
    expectError(await post(`${t.stubServer.url}/not-there.js`), 'source_unreachable')
    expectError(await post(t.stubServer.bundle('exports.default = 7')), 'bundle_invalid')
    assert.deepEqual([await countRows(t, 'definitions'), await countRows(t, 'bundles')], before)
  })
})

describe('POST /v1/integration_definition: with no private network allowed', () => {
  let t: TestApp
  let canary: StubServer
  before(async () => {
    t = await testApp({ allow: '' })
    canary = await startStubServer()
  })
  after(async () => {
    await t.close()
    await canary.close()
  })

  const post = (sourceUrl: string) =>
    t.call('POST', '/v1/integration_definition', {
      body: { name: 'Thing', sourceUrl, integrationType: 'CRM' },
    })

  it('400 source_url_forbidden: loopback and private addresses in any notation, and names that resolve to them', async () => {
    const url = canary.bundle(createMiniBundle())
    const { port, pathname } = new URL(url)
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      'localhost',
      'localhost.',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '0.0.0.0',
      '10.0.0.1',
      '169.254.169.254',
    ]
    const texts = new Set<string>()
    for (const host of hosts)
      for (const scheme of ['http', 'https']) {
        const response = await post(`${scheme}://${host}:${port}${pathname}`)
        texts.add(expectError(response, 'source_url_forbidden').message)
      }
    assert.equal(
      texts.size,
      1,
      'one message for all: it must not reveal anything about the network',
    )
    assert.deepEqual(canary.requests, [])
  })

  it('400 source_url_forbidden: plain http to a public address', async () => {
    expectError(await post('http://93.184.215.14/a.js'), 'source_url_forbidden')
  })
})

describe('POST /v1/integration_definition: redirect to a forbidden address', () => {
  it('400 source_url_forbidden, without a request to the address', async () => {
    const [allowedOrigin, canary] = await Promise.all([startStubServer(), startStubServer()])
    const t = await testApp({ allow: allowedOrigin.host })
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        const location = canary.bundle(createMiniBundle())
        const sourceUrl = allowedOrigin.serve(`/${status}.js`, (_request, response) =>
          response.writeHead(status, { location }).end(),
        )
        const body = { name: 'Thing', sourceUrl, integrationType: 'CRM' }
        expectError(
          await t.call('POST', '/v1/integration_definition', { body }),
          'source_url_forbidden',
        )
      }
      assert.equal(allowedOrigin.requests.length, 5)
      assert.deepEqual(canary.requests, [])
    } finally {
      await Promise.all([t.close(), allowedOrigin.close(), canary.close()])
    }
  })
})
