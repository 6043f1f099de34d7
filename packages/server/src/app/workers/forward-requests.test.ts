import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { rawHttp } from '../../../test/raw-http.ts'
import { createForwarder } from './forward-requests.ts'
import { receiveForwardedRequests } from './receive-forwarded.ts'

describe('A forwarded request', () => {
  it('reaches the main process as it was sent, with the address of the client', async (t) => {
    const seen: unknown[] = []
    const { port } = await start(t, (request, response) => {
      const { method, url, rawHeaders, headers, httpVersion, socket } = request
      seen.push({ method, url, rawHeaders, headers, httpVersion, address: socket.remoteAddress })
      response.end('ok')
    })
    const requests: [string, string[]][] = [
      ['GET /a?b=%20c HTTP/1.1', ['Host: h', 'X-Two: 1', 'x-two: 2']],
      ['POST /a HTTP/1.1', ['host: h']],
      ['DELETE /a HTTP/1.0', ['X-Forwarded-For: 203.0.113.9']],
    ]
    for (const [line, headers] of requests)
      await rawHttp(port, `${line}\r\n${headers.join('\r\n')}\r\nX-Linchpin-Origin: forged\r\n\r\n`)
    assert.deepEqual(
      seen.filter((each) => (each as { url: string }).url !== '/health/live'),
      requests.map(([line, headers]) => {
        const [method, url, version] = line.split(' ')
        const rawHeaders = headers.flatMap((header) => header.split(': '))
        return {
          method,
          url,
          rawHeaders,
          headers: mergeHeaders(headers),
          httpVersion: version?.slice('HTTP/'.length),
          address: '127.0.0.1',
        }
      }),
    )
  })

  it('passes bodies and headers on unchanged, in both directions', async (t) => {
    const { port } = await start(t, (request, response) => {
      response.writeHead(207, 'Some', ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-A', '\u00e9'])
      request.pipe(response)
    })
    const sent = Buffer.alloc(3_000_000, 'linchpin')
    for (const headers of [{ 'content-length': sent.length }, {}]) {
      const { response, body } = await send(port, { method: 'PUT', headers }, sent)
      assert.ok(body.equals(sent))
      assert.deepEqual([response.statusCode, response.statusMessage], [207, 'Some'])
      assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2'])
      assert.equal(response.headers['x-a'], '\u00e9')
    }
    const head = await send(port, { method: 'HEAD' })
    assert.equal(head.body.length, 0)
  })

  it('is answered although its body was not read', async (t) => {
    const { port } = await start(t, (_request, response) => {
      response.writeHead(413, { connection: 'close', 'content-length': 2 }).end('no')
    })
    const { response, body } = await send(port, { method: 'POST' }, Buffer.alloc(100_000))
    assert.deepEqual([response.statusCode, String(body)], [413, 'no'])
    assert.equal(response.headers.connection, 'close')
  })

  it('ends in the main process when the client leaves', async (t) => {
    const main = Promise.withResolvers<ServerResponse>()
    const { port } = await start(t, (_request, response) => {
      response.write('begun')
      main.resolve(response)
    })
    const outgoing = request({ port })
    outgoing.on('error', () => undefined)
    outgoing.end()
    const response = await main.promise
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    answer.on('error', () => undefined)
    const closed = once(response, 'close')
    outgoing.destroy()
    await closed
    assert.equal(response.writableFinished, false)
  })

  it('breaks the connection of the client when the main process breaks it', async (t) => {
    const { port } = await start(t, (request, response) => {
      if (request.url === '/begun') response.write('begun', () => request.socket.destroy())
      else request.socket.destroy()
    })
    for (const path of ['/', '/begun'])
      await assert.rejects(send(port, { path }), { code: 'ECONNRESET' }, path)
  })

  it('is rejected unless a worker sends it', async (t) => {
    const { socketPath } = await start(t, (_request, response) => void response.end('ok'))
    for (const headers of [{}, { 'x-linchpin-origin': 'guessed {"address":"127.0.0.1"}' }])
      await assert.rejects(send(undefined, { socketPath, headers }), { code: 'ECONNRESET' })
  })

  it('is waited for when the main process stops', async (t) => {
    const arrived = Promise.withResolvers<void>()
    const { port, received } = await start(t, async (_request, response) => {
      arrived.resolve()
      await sleep(100)
      response.end('late')
    })
    const answer = send(port, {})
    await arrived.promise
    await received.close()
    assert.equal(String((await answer).body), 'late')
  })
})

/** A main process and a worker, in this process. */
async function start(t: TestContext, routing: RequestListener) {
  const received = await receiveForwardedRequests({ routing: routing as never })
  const forwarder = createForwarder(received.mainAddress)
  const server = createServer({ requireHostHeader: false }, forwarder.forward)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    server.closeAllConnections()
    forwarder.close()
    await received.close().catch(() => undefined)
  })
  const { port } = server.address() as AddressInfo
  return { port, received, socketPath: received.mainAddress.socketPath }
}

async function send(port: number | undefined, options: object, body?: Buffer) {
  const outgoing = request({ host: '127.0.0.1', port, ...options })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { response, body: await buffer(response) }
}

function mergeHeaders(headers: readonly string[]): Record<string, string> {
  const merged: Record<string, string> = {}
  for (const [name = '', value = ''] of headers.map((header) => header.split(': '))) {
    const key = name.toLowerCase()
    merged[key] = key in merged ? `${merged[key]}, ${value}` : value
  }
  return merged
}
