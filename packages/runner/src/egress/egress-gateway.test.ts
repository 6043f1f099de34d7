import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import {
  createBundlePolicy,
  expectEgressError,
  listen,
  openEgressGateway,
  serve,
  serveTcp,
} from '../../test/egress/egress-test-support.ts'
import { parseAllowList } from './address.ts'
import type { EgressResponse } from './egress.ts'
import { createEgressGateway } from './egress-gateway.ts'

interface EchoedRequest {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** A server that echoes the request in its response. */
async function echo(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, url, rawHeaders } = request
  return JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() })
}

function parseEcho(response: EgressResponse): EchoedRequest {
  return JSON.parse(Buffer.from(response.body).toString())
}

describe('a request through the egress gateway', () => {
  it('is sent as passed, and the response is returned as received', async (test) => {
    const port = await serve(test, async (request, response) => {
      const text = await echo(request)
      response.writeHead(418, 'Short and stout', [
        ...['X-Odd-CASE', 'one', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Latin', 'caf\u00e9'],
      ])
      response.end(text)
    })
    const response = await openEgressGateway(test).request(
      {
        method: 'PATCH',
        url: `http://127.0.0.1:${port}/a%20b/?q=1&q=2#gone`,
        headers: { 'X-API-Key': 'k', accept: ['a/b', 'c/d'] },
        body: Buffer.from('payload'),
      },
      createBundlePolicy({ decompress: false }),
    )
    const { method, url, rawHeaders, body } = parseEcho(response)
    assert.deepEqual([method, url, body], ['PATCH', '/a%20b/?q=1&q=2', 'payload'])
    const sent = ['X-API-Key', 'k', 'accept', 'a/b', 'accept', 'c/d']
    assert.equal(rawHeaders.join(' ').includes(sent.join(' ')), true)
    assert.equal(
      rawHeaders.some((name) => /^(user-agent|accept-encoding)$/i.test(name)),
      false,
    )
    assert.deepEqual([response.status, response.statusText], [418, 'Short and stout'])
    assert.equal(response.url, `http://127.0.0.1:${port}/a%20b/?q=1&q=2`)
    const received = ['X-Odd-CASE one', 'Set-Cookie a=1', 'Set-Cookie b=2', 'X-Latin caf\u00e9']
    assert.equal(response.rawHeaders.join(' ').startsWith(received.join(' ')), true)
  })

  it('has its own Host and Content-Length and no header of the connection', async (test) => {
    const port = await serve(test, async (request, response) => {
      response.end(await echo(request))
    })
    const connectionHeaders = {
      Host: 'evil.example',
      'Content-Length': '999',
      'Transfer-Encoding': 'chunked',
      Connection: 'X-Hop, close',
      'X-hop': '1',
      'Keep-Alive': 'x',
      Upgrade: 'h2c',
      TE: 'x',
      'Proxy-Authorization': 'x',
      'Proxy-Connection': 'x',
      Trailer: 'x',
      Expect: 'x',
    }
    const request = { method: 'POST', url: `http://localhost:${port}/`, headers: connectionHeaders }
    const response = await openEgressGateway(test).request(
      { ...request, body: Buffer.from('abc') },
      createBundlePolicy(),
    )
    const { rawHeaders, body } = parseEcho(response)
    assert.equal(body, 'abc')
    assert.deepEqual(rawHeaders, [
      ...['host', `localhost:${port}`, 'connection', 'close'],
      ...['Accept-Encoding', 'gzip, deflate, br', 'content-length', '3'],
    ])
  })

  it('converts user and password of a URL into credentials, unless the headers contain some', async (test) => {
    const port = await serve(test, async (request, response) => {
      response.end(await echo(request))
    })
    const egressGateway = openEgressGateway(test)
    const url = `http://user:pass@127.0.0.1:${port}/`
    const anonymousResponse = await egressGateway.request(
      { method: 'GET', url },
      createBundlePolicy(),
    )
    assert.equal(anonymousResponse.url, `http://127.0.0.1:${port}/`)
    assert.ok(
      parseEcho(anonymousResponse).rawHeaders.includes(
        `Basic ${Buffer.from('user:pass').toString('base64')}`,
      ),
    )
    const headers = { authorization: 'Bearer t' }
    const overridden = await egressGateway.request(
      { method: 'GET', url, headers },
      createBundlePolicy(),
    )
    assert.equal(parseEcho(overridden).rawHeaders.join().includes('Basic'), false)
  })

  it('is rejected when a header or the method contains a line break', async (test) => {
    let requestCount = 0
    const port = await serve(test, (_request, response) => {
      requestCount += 1
      response.end()
    })
    const egressGateway = openEgressGateway(test)
    const url = `http://127.0.0.1:${port}/`
    const bad = [
      ...[{ 'X-A': 'b\r\nX-Evil: 1' }, { 'X-A': 'b\nc' }, { 'X-A\r\nX-Evil': '1' }, { 'X A': '1' }],
      ...[{ 'X-A': 'snow\u2603' }, { 'X-A': 'nul\0' }, { '': 'x' }, { 'X-A': ['ok', 'b\rc'] }],
      { 'X-Large': 'x'.repeat(33_000) },
    ]
    for (const headers of bad) {
      const error = await expectEgressError(
        egressGateway.request({ method: 'GET', url, headers }, createBundlePolicy()),
      )
      assert.equal(error.code, 'refused', JSON.stringify(headers).slice(0, 50))
    }
    for (const method of ['CONNECT', 'TRACE', 'trace', 'GET / HTTP/1.1\r\nX: ', '', 'G T']) {
      assert.equal(
        (await expectEgressError(egressGateway.request({ method, url }, createBundlePolicy())))
          .code,
        'refused',
        method,
      )
    }
    assert.equal(requestCount, 0)
  })
})

describe('connections of the egress gateway', () => {
  it('are reused for GET requests to one host with one purpose only', async (test) => {
    const sockets: unknown[] = []
    const port = await serve(test, (request, response) => {
      sockets.push(request.socket)
      response.end()
    })
    const egressGateway = openEgressGateway(test)
    const send = async (host: string, method: string, extra = {}, headers = {}): Promise<void> => {
      const url = `http://${host}:${port}/`
      await egressGateway.request({ method, url, headers }, createBundlePolicy(extra))
      // A connection is free again one turn of the event loop after its response.
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await send('127.0.0.1', 'GET')
    await send('127.0.0.1', 'GET')
    await send('127.0.0.1', 'GET')
    assert.equal(new Set(sockets).size, 1)
    await send('localhost', 'GET')
    await send('127.0.0.1', 'GET', { purpose: 'oauth' })
    await send('127.0.0.1', 'POST')
    await send('127.0.0.1', 'GET', {}, { Authorization: 'NTLM abc' })
    assert.equal(new Set(sockets).size, 5)
    await send('127.0.0.1', 'POST', { purpose: 'webhook' })
    await send('127.0.0.1', 'POST', { purpose: 'webhook' })
    assert.equal(new Set(sockets).size, 6, 'webhooks may arrive twice')
  })

  it('serve more hosts than the pool holds, one by one and concurrently', async (test) => {
    const port = await serve(test, (request, response) => void response.end(request.headers.host))
    const egressGateway = openEgressGateway(test, {
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const send = async (index: number): Promise<void> => {
      const host = `host-${index % 150}.example:${port}`
      const { body } = await egressGateway.request(
        { method: 'GET', url: `http://${host}/` },
        createBundlePolicy({ timeoutMs: 30_000 }),
      )
      assert.equal(Buffer.from(body).toString(), host)
    }
    for (let index = 0; index < 300; index += 1) await send(index)
    await Promise.all(Array.from({ length: 300 }, (_value, index) => send(index)))
  })

  it('are validated for every request, new or reused', async (test) => {
    const ports: number[] = []
    const port = await serve(test, (_request, response) => void response.end())
    const egressGateway = openEgressGateway(test, { listeningPorts: () => ports })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    await egressGateway.request(request, createBundlePolicy())
    ports.push(port)
    assert.equal(
      (await expectEgressError(egressGateway.request(request, createBundlePolicy()))).code,
      'refused',
    )
  })

  it('are reopened for a GET when the server has closed the idle one', async (test) => {
    let connections = 0
    const port = await serveTcp(test, (socket) => {
      connections += 1
      let requests = 0
      socket.on('data', () => {
        requests += 1
        if (requests > 1) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
    })
    const egressGateway = openEgressGateway(test)
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    for (let index = 0; index < 3; index += 1) {
      assert.equal((await egressGateway.request(request, createBundlePolicy())).status, 200)
    }
    assert.equal(connections, 3)
  })

  it('fall back to the next validated address when the first does not respond', async (test) => {
    const port = await serve(test, (_request, response) => void response.end('here'))
    const egressGateway = openEgressGateway(test, {
      resolve: async () => ['127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: 4 })),
    })
    const url = `http://two.example:${port}/`
    assert.equal(
      (await egressGateway.request({ method: 'GET', url }, createBundlePolicy())).status,
      200,
    )
  })

  it('report the system error once the address was accepted', async (test) => {
    const port = await serveTcp(test, (socket) => void socket.destroy())
    const egressGateway = openEgressGateway(test)
    const reset = await expectEgressError(
      egressGateway.request(
        { method: 'GET', url: `http://127.0.0.1:${port}/` },
        createBundlePolicy(),
      ),
    )
    assert.deepEqual([reset.code, reset.systemCode], ['unreachable', 'ECONNRESET'])
    const closed = createServer()
    const free = await listen({ after: () => {} }, closed)
    await new Promise((resolve) => closed.close(resolve))
    const none = await expectEgressError(
      egressGateway.request(
        { method: 'GET', url: `http://127.0.0.1:${free}/` },
        createBundlePolicy(),
      ),
    )
    assert.deepEqual([none.code, none.systemCode], ['unreachable', 'ECONNREFUSED'])
    assert.equal(none.message, reset.message)
    assert.equal(none.message.includes('127.0.0.1'), false)
  })

  it('fail without a crash when the response is not HTTP', async (test) => {
    const rawResponses = [
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort',
    ]
    for (const rawResponse of rawResponses) {
      const port = await serveTcp(test, (socket) => void socket.end(rawResponse))
      const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
      const error = await expectEgressError(
        openEgressGateway(test).request(request, createBundlePolicy()),
      )
      assert.equal(error.code, 'unreachable', rawResponse)
    }
  })
})

describe('the egress gateway', () => {
  it('logs rejections with their detail and returns one sentence', async (test) => {
    const lines: string[] = []
    const egressGateway = openEgressGateway(test, { log: (detail) => lines.push(detail) })
    const request = { method: 'GET', url: 'https://10.1.2.3/secret-path?token=x' }
    const error = await expectEgressError(egressGateway.request(request, createBundlePolicy()))
    assert.equal(error.message, 'The address does not exist or is not allowed.')
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^bundle request refused: 10\.1\.2\.3 .*private/)
    assert.equal(lines[0]?.includes('secret-path'), false)
  })

  it('aborts running requests when it closes, and accepts no new ones', async (test) => {
    const port = await serveTcp(test, () => {})
    const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.1') })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    const running = expectEgressError(egressGateway.request(request, createBundlePolicy()))
    setTimeout(() => void egressGateway.close(), 20)
    assert.equal((await running).code, 'aborted')
    assert.equal(
      (await expectEgressError(egressGateway.request(request, createBundlePolicy()))).code,
      'aborted',
    )
  })

  it('rejects at once when the caller aborts', async (test) => {
    const port = await serveTcp(test, () => {})
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    const egressGateway = openEgressGateway(test)
    const signal = AbortSignal.timeout(20)
    assert.equal(
      (await expectEgressError(egressGateway.request(request, createBundlePolicy({ signal }))))
        .code,
      'aborted',
    )
    assert.equal(
      (await expectEgressError(egressGateway.request(request, createBundlePolicy({ signal }))))
        .code,
      'aborted',
    )
  })
})
