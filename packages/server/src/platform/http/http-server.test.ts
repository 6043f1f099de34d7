import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expectRawError, rawHttp } from '../../../test/raw-http.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'

describe('HTTP server on a socket', () => {
  let t: TestApp
  let port: number
  before(async () => {
    t = await testApp()
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    port = (t.app.server.address() as AddressInfo).port
  })
  after(() => t.close())

  const createHead = (line: string, ...fields: string[]) =>
    [line, `Authorization: Bearer ${t.token}`, ...fields, '', ''].join('\r\n')
  const host = 'Host: localhost'
  const json = 'Content-Type: application/json'
  const post = (...fields: string[]) =>
    createHead('POST /api/v1/workspace HTTP/1.1', host, ...fields)
  const user = () => createHead('GET /api/v1/user HTTP/1.1', host)
  const sendRaw = (...parts: (string | Buffer)[]) => rawHttp(port, parts)

  it('closes a connection after its last response, although the client leaves its half open', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write('nonsense\r\n\r\n')
    await once(socket, 'end')
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 400 .*malformed_request/s)
    const countConnections = promisify(t.app.server.getConnections.bind(t.app.server))
    const deadline = performance.now() + 10_000
    while ((await countConnections()) > 0 && performance.now() < deadline) await sleep(50)
    assert.equal(await countConnections(), 0)
    socket.destroy()
  })

  describe('413', () => {
    it('rejects 65,537 bytes in chunks', async () => {
      const chunk = `1000\r\n${' '.repeat(4_096)}\r\n`
      const body = `${chunk.repeat(16)}1\r\n \r\n0\r\n\r\n`
      expectRawError(
        await sendRaw(post(json, 'Transfer-Encoding: chunked'), body),
        'body_too_large',
      )
    })

    it('accepts 65,536 bytes in chunks', async () => {
      const chunk = `1000\r\n${'{}'.padEnd(4_096)}\r\n1000\r\n${' '.repeat(4_096)}\r\n`
      const body = `${chunk}${`1000\r\n${' '.repeat(4_096)}\r\n`.repeat(14)}0\r\n\r\n`
      const { responses } = await sendRaw(post(json, 'Transfer-Encoding: chunked'), body)
      assert.deepEqual(
        responses.map(({ status }) => status),
        [201],
      )
    })

    it('rejects by Content-Length before the body arrives', async () => {
      expectRawError(await sendRaw(post(json, 'Content-Length: 65537')), 'body_too_large')
    })
  })

  describe('431', () => {
    it('rejects 20 kB of headers', async () => {
      const exchange = await sendRaw(post(`X-Big: ${'a'.repeat(20_000)}`))
      expectRawError(exchange, 'headers_too_large')
      assert.ok(exchange.closed)
    })

    it('rejects a request line of 20 kB', async () => {
      expectRawError(
        await sendRaw(createHead(`GET /api/${'a'.repeat(20_000)} HTTP/1.1`, host)),
        'headers_too_large',
      )
    })
  })

  it('414: rejects a URL of 5,000 characters', async () => {
    const line = `GET /api/v1/link/${'a'.repeat(5_000)} HTTP/1.1`
    expectRawError(await sendRaw(createHead(line, host)), 'uri_too_long')
  })

  describe('Host', () => {
    it('HTTP/1.1 requires exactly one Host header', async () => {
      expectRawError(await sendRaw(createHead('GET /api/v1/user HTTP/1.1')), 'malformed_request')
      const duplicateHost = createHead('GET /api/v1/user HTTP/1.1', host, 'Host: other')
      expectRawError(await sendRaw(duplicateHost), 'malformed_request')
    })

    it('a header with one value is refused when it is sent twice, in any case and with any values', async () => {
      const token = `Bearer ${t.token}`
      for (const [name, first, second] of [
        ['Authorization', token, token],
        ['Authorization', token, 'Bearer lp_x'],
        ['Authorization', 'Basic YTpi', token],
        ['Host', 'localhost', 'localhost'],
        ['Content-Type', 'application/json', 'text/plain'],
        ['Idempotency-Key', 'a', 'b'],
        ['Origin', 'null', 'https://a.example'],
        ['Sec-Fetch-Site', 'none', 'cross-site'],
        ['Sec-Fetch-Dest', 'iframe', 'document'],
      ] as const) {
        const hosts = name === 'Host' ? [] : [host]
        const twice = [`${name}: ${first}`, `${name.toLowerCase()}: ${second}`]
        for (const line of ['GET /api/v1/user HTTP/1.1', 'GET /api/v1/link HTTP/1.1']) {
          const exchange = await sendRaw(createHead(line, ...hosts, ...twice))
          expectRawError(exchange, 'malformed_request')
          const { message } = JSON.parse(exchange.responses[0]?.body ?? '')
          assert.equal(message, `The header ${name} must be sent only once.`)
        }
      }
    })

    it('a header with a list of values may be sent twice', async () => {
      const lists = [
        'Accept: text/html',
        'Accept: */*',
        'Accept-Language: de',
        'Accept-Language: en',
      ]
      const head = createHead('GET /api/v1/user HTTP/1.1', host, ...lists)
      assert.equal((await sendRaw(head)).responses[0]?.status, 200)
    })

    it('HTTP/1.0 requires no Host header, and its connection is closed after the response', async () => {
      const { responses, closed } = await sendRaw(createHead('GET /api/v1/user HTTP/1.0'))
      assert.equal(responses[0]?.status, 200)
      assert.ok(closed)
    })
  })

  describe('Expect', () => {
    it('417: rejects an unknown expectation', async () => {
      const exchange = await sendRaw(post(json, 'Content-Length: 2', 'Expect: nonsense'), '{}')
      expectRawError(exchange, 'expectation_failed')
    })

    it('100-continue: sends 100 and processes the request', async () => {
      const { responses } = await sendRaw(
        post(json, 'Content-Length: 2', 'Expect: 100-continue'),
        '{}',
      )
      assert.deepEqual(
        responses.map(({ status }) => status),
        [100, 201],
      )
    })
  })

  describe('400 malformed_request', () => {
    const garbage: [string, string | Buffer][] = [
      ['noise', '\x00\x01\x02nonsense\r\n\r\n'],
      ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex')],
      ['half a request line', 'GET\r\n\r\n'],
      ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['HTTP/2 without upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
      ['whitespace before a colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
      ['U+0000 in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
      ['a bare CR in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
      ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ]
    for (const [description, bytes] of garbage)
      it(`rejects ${description} and closes the connection`, async () => {
        const exchange = await sendRaw(bytes)
        expectRawError(exchange, 'malformed_request')
        assert.ok(exchange.closed)
      })
  })

  describe('request smuggling', () => {
    const createHiddenRequest = () => createHead('DELETE /api/v1/user HTTP/1.1', host)
    const smuggled: [string, string[], string][] = [
      ['both lengths', [json, 'Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
      [
        'both lengths in reverse order',
        [json, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
        '0\r\n\r\n',
      ],
      ['two different lengths', [json, 'Content-Length: 2', 'Content-Length: 40'], '{}'],
      ['a list of lengths', [json, 'Content-Length: 2, 40'], '{}'],
      ['a signed length', [json, 'Content-Length: +2'], '{}'],
      ['a hexadecimal length', [json, 'Content-Length: 0x2'], '{}'],
      ['a negative length', [json, 'Content-Length: -1'], '{}'],
      ['an unknown encoding', [json, 'Transfer-Encoding: xchunked'], '0\r\n\r\n'],
      ['chunked not last', [json, 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
      ['a folded header', [json, 'Transfer-Encoding:\r\n chunked'], '0\r\n\r\n'],
      ['an invalid chunk size', [json, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
      ['a chunk with a bare LF', [json, 'Transfer-Encoding: chunked'], '2\n{}\r\n0\r\n\r\n'],
    ]
    for (const [description, fields, body] of smuggled)
      it(`rejects ${description}, closes the connection, and ignores the request hidden behind it`, async () => {
        const exchange = await sendRaw(post(...fields) + body + createHiddenRequest())
        assert.equal(exchange.responses.length, 1, JSON.stringify(exchange.responses))
        assert.equal(exchange.responses[0]?.status, 400)
        assert.ok(exchange.closed)
      })

    it('does not parse the rest of a rejected body as a request', async () => {
      const exchange = await sendRaw(post(json, 'Content-Length: 70000'), createHiddenRequest())
      expectRawError(exchange, 'body_too_large')
    })
  })

  it('responds to pipelined requests in order', async () => {
    const missing = createHead('GET /api/v1/nope HTTP/1.1', host)
    const { responses } = await sendRaw(user() + missing + user() + missing)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 404, 200, 404],
    )
  })

  it('reuses a connection after rejecting a request that was read completely', async () => {
    const { responses, closed } = await sendRaw(post(json, 'Content-Length: 2'), '[]', user())
    assert.deepEqual(
      responses.map(({ status }) => status),
      [400, 200],
    )
    assert.ok(!closed)
  })

  it('does not resolve dot segments to another route', async () => {
    for (const id of ['%2e%2e', '..', '..%2fuser'])
      expectRawError(
        await sendRaw(createHead(`GET /api/v1/link/${id} HTTP/1.1`, host)),
        'link_not_found',
      )
    expectRawError(
      await sendRaw(createHead('GET /api/v1/link/../user HTTP/1.1', host)),
      'route_not_found',
    )
  })

  it('ignores Upgrade headers', async () => {
    const upgrade = createHead(
      'GET /api/v1/user HTTP/1.1',
      host,
      'Connection: Upgrade',
      'Upgrade: h2c',
    )
    assert.equal((await sendRaw(upgrade)).responses[0]?.status, 200)
    const tunnel = await sendRaw(createHead('CONNECT localhost:22 HTTP/1.1', host))
    assert.ok(tunnel.closed && tunnel.responses.every(({ status }) => status >= 400))
  })

  it('rejects OPTIONS *, and matches absolute-form targets against routes only', async () => {
    const optionsStar = await sendRaw(createHead('OPTIONS * HTTP/1.1', host))
    assert.ok(
      [404, 405].includes(optionsStar.responses[0]?.status ?? 0),
      JSON.stringify(optionsStar),
    )
    const absolute = await sendRaw(createHead('GET http://evil.example/api/v1/user HTTP/1.1', host))
    assert.ok([200, 404].includes(absolute.responses[0]?.status ?? 0), JSON.stringify(absolute))
  })

  it('keeps serving after clients disconnect during a request', async () => {
    for (const part of ['GE', 'GET / HTTP/1.1\r\nHo', `${post(json, 'Content-Length: 50')}{"slug"`])
      await rawHttp(port, part, { hangUpAfterMs: 20 })
    assert.equal((await sendRaw(user())).responses[0]?.status, 200)
  })
})
