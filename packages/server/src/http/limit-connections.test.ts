import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectRawError, rawHttp } from '../../test/raw-http.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'

const MAX = 20

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

  /** A connection that has sent these bytes, and whether the service has closed it. */
  const open = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    const state = { isClosed: false, text: '' }
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      state.text += String(data)
    })
    socket.on('close', () => {
      state.isClosed = true
    })
    await once(socket, 'connect')
    socket.write(bytes)
    return state
  }
  const requestHealth = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const clientRequest = request({ port, path: '/health/live', agent: false, timeout: 20_000 })
      clientRequest
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
      clientRequest.end()
    })
  const isOpen = ({ isClosed }: { isClosed: boolean }) => !isClosed

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
    const silent: Awaited<ReturnType<typeof open>>[] = []
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
    const answers: (number | undefined)[] = []
    for (let round = 0; round < 20; round++) {
      answers.push(await requestHealth().catch(() => undefined))
      await sleep(100)
    }
    clearInterval(attack)
    const answered = answers.filter((status) => status === 200).length
    for (const socket of sockets) socket.destroy()
    assert.match(phone.text, /^HTTP\/1\.1 400 .*"malformed_json"/s, 'the phone is not slow')
    assert.ok(answered >= 5, `${answered} of 20 health checks`)
  })

  it('incomplete headers time out after 10 s, and connections above the limit close the oldest ones immediately', async (context) => {
    const startedAt = performance.now()
    const halfSent: Awaited<ReturnType<typeof open>>[] = []
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
