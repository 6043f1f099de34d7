import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { expectRawError, rawHttp } from '../../../test/raw-http.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { type ConnectionLimits, createSlowTransfers, limitConnections } from './overload.ts'

const MAX = 20

interface Client {
  readonly socket: Socket
  /** The service has closed the connection. */
  isClosed: boolean
  text: string
}

/** A connection that has sent these bytes. */
async function openClient(port: number, bytes: string, localAddress?: string): Promise<Client> {
  const host = localAddress === '::1' ? '::1' : '127.0.0.1'
  const socket = connect({ port, host, localAddress: localAddress ?? host })
  const client: Client = { socket, isClosed: false, text: '' }
  socket.on('error', () => undefined)
  socket.on('data', (data) => {
    client.text += String(data)
  })
  socket.on('close', () => {
    client.isClosed = true
  })
  await once(socket, 'connect')
  socket.write(bytes)
  return client
}

/** The status of a health check on a new connection. */
function requestFrom(port: number, localAddress: string): Promise<number | undefined> {
  const host = '127.0.0.1'
  return new Promise((resolve, reject) => {
    request({ port, host, localAddress, path: '/health/live', agent: false, timeout: 20_000 })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })
}

const isOpen = ({ isClosed }: Client) => !isClosed

function countConnections({ app }: TestApp): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

describe('Connection limits', () => {
  let t: TestApp
  let port: number
  const sockets: Socket[] = []
  before(async () => {
    t = await testApp({ maxConnections: MAX })
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    port = (t.app.server.address() as AddressInfo).port
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await t.close()
  })

  const open = async (bytes: string) => {
    const client = await openClient(port, bytes)
    sockets.push(client.socket)
    return client
  }
  const requestHealth = () => requestFrom(port, '127.0.0.1')

  it('idle keep-alive connections make room for a health check', async (context) => {
    const bytes = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'
    for (let count = 0; count < MAX * 2; count++) {
      const connection = await open(bytes)
      await context.waitFor(() => assert.match(connection.text, /200 OK/), { timeout: 20_000 })
    }
    assert.equal(await requestHealth(), 200)
  })

  it('connections that send nothing leave room for a health check and interrupt no active request', async (context) => {
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n'
    const upload = await open(
      `POST /api/v1/workspace HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${t.token}\r\n${body}{`,
    )
    await context.waitFor(async () => assert.equal(await requestHealth(), 200), { timeout: 20_000 })
    const silent: Client[] = []
    for (let count = 0; count < MAX * 3; count++) {
      silent.push(await open(count % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nHost: '))
      if (count % 5 === 4)
        assert.equal(await requestHealth(), 200, `beside ${count + 1} connections`)
    }
    assert.ok(isOpen(upload), 'a request with complete headers stays open')
    assert.ok(silent.filter(isOpen).length > MAX / 2, 'the limit is in effect')
    assert.ok(silent.filter(isOpen).length <= MAX)
    for (const socket of sockets) socket.destroy()
  })

  it('connections whose bodies hardly arrive leave room for health checks and for a slow phone', async (context) => {
    const head = (length: number) =>
      `POST /api/v1/workspace HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${t.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    await context.waitFor(async () => assert.equal(await requestHealth(), 200), { timeout: 20_000 })
    const phone = await open(head(30_000))
    const phoneSocket = sockets.at(-1)
    const first = sockets.length
    const attack = setInterval(() => {
      for (const socket of sockets.slice(first)) if (!socket.destroyed) socket.write(' ')
      const openCount = sockets.slice(first).filter((socket) => !socket.destroyed).length
      for (let count = openCount; count < MAX * 2; count++) void open(head(1_000)).catch(() => {})
      // 20 kB/s
      phoneSocket?.write(' '.repeat(1_000))
    }, 50)
    await sleep(3_000)
    let answered = 0
    // On a busy machine, fewer of the attacker's connections are slow for long enough at any time.
    for (const deadline = Date.now() + 20_000; answered < 5 && Date.now() < deadline; ) {
      if ((await requestHealth().catch(() => undefined)) === 200) answered += 1
      await sleep(100)
    }
    clearInterval(attack)
    for (const socket of sockets) socket.destroy()
    assert.match(phone.text, /^HTTP\/1\.1 400 .*"malformed_json"/s, 'the phone is not slow')
    assert.ok(answered >= 5, `${answered} health checks`)
  })

  it('incomplete headers time out after 10 s, and connections above the limit close the oldest ones immediately', async (context) => {
    const startedAt = performance.now()
    const halfSent: Client[] = []
    for (let count = 0; count < MAX + 5; count++)
      halfSent.push(await open('GET / HTTP/1.1\r\nHost: '))
    await context.waitFor(() => assert.ok(halfSent.filter(isOpen).length <= MAX), {
      timeout: 20_000,
    })
    const lines = t.logs.filter((line) => line.includes('LINCHPIN_MAX_CONNECTIONS is reached'))
    assert.equal(lines.length, 1, 'one line per minute')
    await sleep(Math.max(0, 8_000 - (performance.now() - startedAt)))
    const openHalves = halfSent.filter(isOpen)
    assert.ok(openHalves.length > MAX / 2, `${openHalves.length} may take 10 s`)
    await context.waitFor(() => assert.equal(openHalves.filter(isOpen).length, 0), {
      timeout: 20_000,
    })
    assert.ok(performance.now() - startedAt < 22_000, 'Node checks every 30 s by default')
    for (const { text } of openHalves) assert.match(text, /^HTTP\/1\.1 408 .*"request_timeout"/s)
    assert.equal(await requestHealth(), 200)
  })

  it('a request within the time limit gets a response', async () => {
    expectRawError(await rawHttp(port, 'GET /nope HTTP/1.1\r\nHost: a\r\n\r\n'), 'route_not_found')
  })
})

describe('Connections of several addresses', () => {
  let t: TestApp
  let port: number
  let clients: Client[]
  before(async () => {
    t = await testApp({ maxConnections: 60 })
    await t.app.listen({ port: 0, host: '::' })
    port = (t.app.server.address() as AddressInfo).port
  })
  beforeEach(() => {
    clients = []
  })
  afterEach(async () => {
    for (const { socket } of clients) socket.destroy()
    while ((await countConnections(t)) > 0) await sleep(20)
  })
  after(() => t.close())

  const upload = (length: number) =>
    `POST /api/v1/workspace HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${t.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const fill = async (addresses: readonly string[], bytes: string) => {
    for (let count = 0; count < 60; count++)
      clients.push(await openClient(port, bytes, addresses[count % addresses.length]))
  }

  for (const addresses of [
    ['127.0.0.1'],
    ['127.0.0.2'],
    ['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1'],
  ])
    it(`health is answered beside 60 connections from ${addresses.join(', ')} that send a byte of a body every 2 s`, async () => {
      await fill(addresses, upload(1_000))
      const drip = setInterval(() => {
        for (const { socket } of clients) socket.write(' ')
      }, 2_000)
      await sleep(1_500)
      for (let count = 0; count < 10; count++) {
        assert.equal(await requestFrom(port, '127.0.0.9'), 200)
        assert.equal(await requestFrom(port, addresses[0] ?? ''), 200)
        await sleep(300)
      }
      clearInterval(drip)
    })

  it('health is answered beside 60 connections whose bodies stopped after 60 kB', async () => {
    await fill(['127.0.0.1', '::1'], upload(64_000) + ' '.repeat(60_000))
    await sleep(2_500)
    for (let count = 0; count < 10; count++) assert.equal(await requestFrom(port, '127.0.0.9'), 200)
  })

  it('a body that stops arriving ends with request_timeout after requestTimeout, which is 30 s', async (context) => {
    const { server } = t.app
    assert.equal(server.requestTimeout, 30_000)
    const { headersTimeout } = server
    Object.assign(server, { headersTimeout: 1_000, requestTimeout: 1_500 })
    context.after(() => {
      Object.assign(server, { headersTimeout, requestTimeout: 30_000 })
    })
    const client = await openClient(port, `${upload(1_000)}{`)
    clients.push(client)
    await context.waitFor(() => assert.ok(client.isClosed), { timeout: 20_000 })
    assert.match(client.text, /^HTTP\/1\.1 408 .*"request_timeout"/s)
  })
})

describe('limitConnections', () => {
  const closings: (() => void)[] = []
  afterEach(() => {
    for (const close of closings.splice(0)) close()
  })

  /** A server without a framework, so that its responses can take any form. */
  const listen = async (
    handle: RequestListener,
    limit: (server: Server, lines: string[]) => void,
  ) => {
    const lines: string[] = []
    const server = createServer((incoming, response) =>
      incoming.url === '/health/live' ? response.end('{}') : handle(incoming, response),
    )
    limit(server, lines)
    server.listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    closings.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return {
      lines,
      port,
      open: async (localAddress?: string, path = '/') => {
        const client = await openClient(
          port,
          `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
          localAddress,
        )
        closings.push(() => client.socket.destroy())
        return client
      },
    }
  }
  const limitTo =
    (maxConnections: number, trustProxy: readonly string[] = []) =>
    (server: Server, lines: string[]) => {
      const write = (_fields: object, message: string) => void lines.push(message)
      const log = { warn: write, error: write } as unknown as ConnectionLimits['log']
      limitConnections({ server } as FastifyInstance, {
        maxConnections,
        trustProxy,
        log,
        now: Date.now,
      })
    }

  it('one address gets half of the connections, and as many as there are if it is localhost or a trusted proxy', async (context) => {
    const { open, port, lines } = await listen(() => {}, limitTo(20, ['127.0.0.8/30']))
    const clients: Client[] = []
    for (let count = 0; count < 30; count++) clients.push(await open('127.0.0.2'))
    await context.waitFor(() => assert.equal(clients.filter(isOpen).length, 10))
    assert.deepEqual(lines, [
      'closing connections of an address that has half of LINCHPIN_MAX_CONNECTIONS',
    ])
    assert.equal(await requestFrom(port, '127.0.0.3'), 200)
    await assert.rejects(requestFrom(port, '127.0.0.2'))
    for (const { socket } of clients) socket.destroy()
    for (const address of ['127.0.0.1', '::1', '127.0.0.9']) {
      const many: Client[] = []
      await context.waitFor(async () => assert.equal(await requestFrom(port, '127.0.0.3'), 200))
      for (let count = 0; count < 18; count++) many.push(await open(address))
      await sleep(200)
      assert.equal(many.filter(isOpen).length, 18, address)
      for (const { socket } of many) socket.destroy()
    }
  })

  it('an address above its half loses its own idle connections first', async (context) => {
    const { open, port } = await listen((_, response) => void response.end(), limitTo(20))
    const others = await Promise.all(Array.from({ length: 5 }, () => open('127.0.0.3')))
    const clients: Client[] = []
    for (let count = 0; count < 30; count++) clients.push(await open('127.0.0.2'))
    await context.waitFor(() => assert.equal(clients.filter(isOpen).length, 10))
    assert.ok(clients.slice(-10).every(isOpen), 'the newest')
    assert.ok(others.every(isOpen))
    assert.equal(await requestFrom(port, '127.0.0.2'), 200)
  })

  /** Writes as fast as the client reads, or a byte now and then. */
  const writeForever: RequestListener = ({ url }, response) => {
    const chunk = Buffer.alloc(url === '/wait' ? 1 : 65_536)
    const write = () => {
      if (chunk.length === 1) response.write(chunk)
      else while (response.write(chunk));
    }
    response.on('drain', write)
    const timer = setInterval(write, 300)
    response.on('close', () => clearInterval(timer))
    write()
  }
  const stall = async ({ socket }: Client) => {
    await once(socket, 'data')
    socket.removeAllListeners('data').pause()
  }
  const readFast = ({ socket }: Client) => void socket.removeAllListeners('data').resume()

  it('clients that do not read make room after 10 s, but not those that read or wait', async (context) => {
    const { open, port } = await listen(writeForever, limitTo(20))
    const waiting = await open('127.0.0.1', '/wait')
    const reading = await open('127.0.0.1')
    readFast(reading)
    for (let count = 0; count < 18; count++) await stall(await open('127.0.0.1'))
    await assert.rejects(requestFrom(port, '127.0.0.1'))
    await context.waitFor(async () => assert.equal(await requestFrom(port, '127.0.0.1'), 200), {
      timeout: 60_000,
      interval: 500,
    })
    const others: Client[] = []
    for (let count = 0; count < 10; count++) {
      const client = await open('127.0.0.1', '/wait')
      await once(client.socket, 'data')
      others.push(client)
    }
    await sleep(2_000)
    assert.ok([waiting, reading, ...others].every(isOpen))
  })

  it('a response of which the client reads nothing ends after a time, whatever its form, and others continue', async (context) => {
    const limit = (server: Server) => void createSlowTransfers(server, 3_000)
    const { open } = await listen((incoming, response) => {
      if (incoming.url === '/once') response.end(Buffer.alloc(40_000_000))
      else writeForever(incoming, response)
      response.on('close', () => ended.push(incoming.url))
    }, limit)
    const ended: (string | undefined)[] = []
    await stall(await open('127.0.0.1', '/once'))
    await stall(await open('127.0.0.1', '/stalled'))
    const waiting = await open('127.0.0.1', '/wait')
    const reading = await open('127.0.0.1')
    readFast(reading)
    await context.waitFor(() => assert.deepEqual(ended.toSorted(), ['/once', '/stalled']), {
      timeout: 60_000,
    })
    await sleep(4_000)
    assert.ok([waiting, reading].every(isOpen))
    assert.equal(ended.length, 2)
  })
})
