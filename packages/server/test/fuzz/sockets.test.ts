import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import {
  createServiceSetup,
  type ServiceProcess,
  startService,
} from '../reliability/service-process.ts'
import { assertApiException } from './assert-api-exception.ts'
import { generateRawRequests, type RawRequest } from './raw-requests.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)
const runs = Number(process.env.FUZZ_SOCKETS ?? 200)
/** How long an incomplete request may stay open after its client has finished. */
const CLOSES_WITHIN_MS = 5_000

describe('Hostile bytes on sockets', () => {
  it(
    'get a response or a closed connection, and never block or crash the service',
    sendHostileBytes,
  )
})

async function sendHostileBytes(t: TestContext): Promise<void> {
  const setup = await createServiceSetup()
  t.after(() => setup.remove())
  const service = await startService(setup)
  t.after(() => service.kill())
  const { port } = new URL(service.url)
  const requests = fc.sample(generateRawRequests(`127.0.0.1:${port}`, setup.token), {
    seed,
    numRuns: runs,
  })
  const statuses = new Map<number, number>()
  for (let at = 0; at < requests.length; at += 20)
    await Promise.all(
      requests.slice(at, at + 20).map(async (request) => {
        for (const status of await sendRawRequest(Number(port), request))
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }),
    )
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
  t.diagnostic(`FUZZ_SEED=${seed}: ${requests.length} sockets. Responses ${counts}`)
  // Few sockets may not include every kind of request.
  const expectedStatuses = requests.flatMap((request) => request.expectedStatuses ?? [])
  for (const status of new Set([200, 400, ...expectedStatuses]))
    assert.ok(statuses.has(status), `${status} never came: the requests did not arrive`)
  await assertServiceHealthy(service)
}

async function sendRawRequest(port: number, request: RawRequest): Promise<number[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  const description = `seed ${seed}, ${request.kind}: ${request.bytes.toString('latin1').slice(0, 300)}`
  try {
    await once(socket, 'connect')
    socket.write(request.bytes)
    await Promise.race([once(socket, 'close'), sleep(100)])
    // Node aborts pipelined requests of a client that has ended its side.
    await waitForResponses(socket, chunks, request.expectedStatuses?.length ?? 0)
    socket.end()
    assert.ok(await waitForClose(socket), `still open. ${description}`)
  } finally {
    socket.destroy()
  }
  const responses = parseResponses(Buffer.concat(chunks).toString('latin1'))
  for (const { status, headers, text } of responses) {
    assert.ok(status < 500, `${status}. ${description}`)
    if (status >= 400) assertApiException({ status, headers, text })
  }
  const statusCodes = responses.map(({ status }) => status)
  if (request.expectedStatuses !== undefined)
    assert.deepEqual(statusCodes, request.expectedStatuses, description)
  return statusCodes
}

async function waitForResponses(socket: Socket, chunks: Buffer[], count: number): Promise<void> {
  const deadline = Date.now() + CLOSES_WITHIN_MS
  const countResponses = () =>
    Buffer.concat(chunks).toString('latin1').split('HTTP/1.1 ').length - 1
  while (!socket.closed && Date.now() < deadline && countResponses() < count) await sleep(20)
}

async function waitForClose(socket: Socket): Promise<boolean> {
  if (socket.readableEnded || socket.closed) return true
  const socketEnd = Promise.race([once(socket, 'end'), once(socket, 'close')]).then(() => true)
  return Promise.race([socketEnd.catch(() => true), sleep(CLOSES_WITHIN_MS, false, { ref: false })])
}

/** Parses consecutive responses, with bodies by length or in chunks. */
function parseResponses(text: string) {
  const responses: { status: number; headers: Record<string, string>; text: string }[] = []
  for (let remaining = text; remaining !== ''; ) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(remaining)
    assert.ok(
      head?.[1] !== undefined && head[2] !== undefined,
      `no answer: ${remaining.slice(0, 200)}`,
    )
    const lines = head[2].split('\r\n').filter((line) => line !== '')
    const headers = Object.fromEntries(lines.map(toHeader))
    remaining = remaining.slice(head[0].length)
    const isChunked = headers['transfer-encoding'] === 'chunked'
    const bodyPart = isChunked
      ? readChunks(remaining)
      : readLength(remaining, Number(headers['content-length'] ?? 0))
    responses.push({ status: Number(head[1]), headers, text: bodyPart.text })
    remaining = bodyPart.remaining
  }
  return responses
}

function readLength(remaining: string, length: number) {
  assert.ok(remaining.length >= length, 'a response was truncated')
  return { text: remaining.slice(0, length), remaining: remaining.slice(length) }
}

function readChunks(from: string) {
  let text = ''
  for (let remaining = from; ; ) {
    const head = /^([0-9a-f]+)\r\n/.exec(remaining)
    assert.ok(head?.[1] !== undefined, 'a response was truncated')
    const chunk = readLength(remaining.slice(head[0].length), Number.parseInt(head[1], 16))
    text += chunk.text
    remaining = chunk.remaining.slice(2)
    if (chunk.text === '') return { text, remaining }
  }
}

function toHeader(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
}

async function assertServiceHealthy(service: ServiceProcess): Promise<void> {
  assert.equal(service.child.exitCode, null, service.recentOutput())
  assert.equal((await service.call('GET', '/v1/user')).status, 200)
  assert.equal((await service.call('POST', '/v1/link', { linkName: 'after' })).status, 201)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /^linchpin_http_request_duration_seconds_count/m)
}
