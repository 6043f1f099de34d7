import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_KEY, type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

const BLOCK = Buffer.alloc(64 * 1024)
const BLOCKS = 320

describe('streaming through the proxy', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext()
  })
  after(() => proxy.close())

  it('applies backpressure to the provider: 20 MB are not buffered', async () => {
    let sent = 0
    proxy.setProviderHandler(async (_request, response) => {
      for (let index = 0; index < BLOCKS; index += 1) {
        sent += BLOCK.length
        if (!response.write(BLOCK)) await once(response, 'drain')
      }
      response.end()
    })
    const clientRequest = proxy.openRequest('x')
    clientRequest.end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    await sleep(500)
    assert.ok(sent < 15_000_000, `${sent} bytes left the provider`)
    let size = 0
    for await (const chunk of response) size += chunk.length
    assert.equal(size, BLOCKS * BLOCK.length)
  })

  it('applies backpressure to the caller', async () => {
    const paused = Promise.withResolvers<void>()
    proxy.setProviderHandler(async (request, response) => {
      await paused.promise
      let size = 0
      for await (const chunk of request) size += chunk.length
      response.end(String(size))
    })
    const total = BLOCKS * BLOCK.length
    const headers = { 'content-length': String(total) }
    const clientRequest = proxy.openRequest('x', { method: 'POST', headers })
    const responsePromise = once(clientRequest, 'response')
    let written = 0
    const writing = (async () => {
      for (let index = 0; index < BLOCKS; index += 1) {
        written += BLOCK.length
        if (!clientRequest.write(BLOCK)) await once(clientRequest, 'drain')
      }
      clientRequest.end()
    })()
    await sleep(500)
    assert.ok(written < 15_000_000, `${written} bytes left the caller`)
    paused.resolve()
    await writing
    const [response] = (await responsePromise) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), String(total))
  })

  it('forwards data immediately: an event does not wait for the next', async () => {
    const next = Promise.withResolvers<void>()
    proxy.setProviderHandler(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.write('data: 1\n\n')
      await next.promise
      response.end('data: 2\n\n')
    })
    const clientRequest = proxy.openRequest('events')
    clientRequest.end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    const [first] = await once(response, 'data')
    assert.equal(String(first), 'data: 1\n\n')
    next.resolve()
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'data: 2\n\n')
  })

  it('an unread response body does not block the next request', async () => {
    proxy.setProviderHandler((_request, response) => response.end('early'))
    const body = Buffer.alloc(3_000_000)
    for (const path of ['x', 'http://elsewhere.example/']) {
      const large = await proxy.send(path, { method: 'POST', body })
      assert.equal(large.status, path === 'x' ? 200 : 400)
      assert.equal((await proxy.send('x')).body.toString(), 'early')
    }
  })

  it('ends the request if the caller stops sending', async () => {
    const closed = Promise.withResolvers<void>()
    proxy.setProviderHandler((request) => {
      request.on('error', () => {})
      request.on('close', () => closed.resolve())
      request.resume()
    })
    const { hostname, port } = new URL(proxy.baseUrl)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(
      `POST /api/v1/integration_account/${proxy.accountId}/proxy/x HTTP/1.1\r\nHost: x\r\n` +
        `Authorization: Bearer ${proxy.token}\r\nContent-Length: 9000000\r\n\r\n`,
    )
    socket.write(Buffer.alloc(2_000_000))
    await sleep(300)
    socket.destroy()
    await closed.promise
    proxy.setProviderHandler((_request, response) => response.end('well'))
    assert.equal((await proxy.send('x')).body.toString(), 'well')
  })
})

describe('a proxied request whose bundle', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext()
  })
  after(() => proxy.close())

  const sendThroughBundle = async (headers: string) => {
    const spec = { auth_specification: { 'Api Key': {} }, api_base_url: proxy.providerUrl }
    const { integrationDefinitionId } = await proxy.createDefinition({
      code: `exports.default = async (command, { config } = {}) => {
        if (command === 'SPEC') return ${JSON.stringify(spec)}
        if (command === 'CHECK') return { status: true, error: '' }
        ${headers}
      }`,
    })
    const account = await proxy.createAccount(integrationDefinitionId, {
      config: { api_key: API_KEY },
    })
    return proxy.send('x', { accountId: account.integrationAccountId ?? '' })
  }

  for (const [description, headers, code] of [
    ['throws', "throw new Error('broke with ' + config.api_key)", 'integration_failed'],
    ['does not support HEADERS', "return { status: false, error: 'no' }", 'integration_bad_output'],
    [
      'returns a header that is not a string',
      "return { 'x-a': { b: 1 } }",
      'integration_bad_output',
    ],
    [
      'returns an object as header value',
      'return { Authorization: { toString: 1 } }',
      'integration_bad_output',
    ],
    [
      'returns an error that is not a string',
      'return { status: false, error: { toString: 1 } }',
      'integration_bad_output',
    ],
    ['splits a header', "return { 'x-a': 'b\\r\\nc: d' }", 'integration_bad_output'],
    ['invents a name', "return { 'x a': 'b' }", 'integration_bad_output'],
  ] as const)
    it(`${description} is 502 ${code}, and nothing is sent`, async () => {
      let hits = 0
      proxy.setProviderHandler((_request, response) => {
        hits += 1
        response.end()
      })
      const response = await sendThroughBundle(headers)
      assert.deepEqual([response.status, JSON.parse(response.body.toString()).error], [502, code])
      assert.equal(response.headers['linchpin-proxy'], 'linchpin')
      assert.equal(response.body.toString().includes(API_KEY), false)
      assert.equal(hits, 0)
    })
})
