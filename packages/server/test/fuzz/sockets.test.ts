import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { newPlace, type ServiceProcess, startService } from '../reliability/service-process.ts'
import { assertApiException } from './expectations.ts'
import { type RawRequest, rawRequests } from './raw-requests.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)
const runs = Number(process.env.FUZZ_SOCKETS ?? 500)
/** How long a half-sent request may stay open once its sender is done. */
const CLOSES_WITHIN_MS = 5_000

describe('hostile bytes on bare sockets', () => {
  it('are answered or cut off, and never hang or end the service', async (t) => {
    const place = await newPlace()
    t.after(() => place.remove())
    const service = await startService(place)
    t.after(() => service.kill())
    const { port } = new URL(service.url)
    const requests = fc.sample(rawRequests(`127.0.0.1:${port}`, place.token), {
      seed,
      numRuns: runs,
    })
    const statuses = new Map<number, number>()
    for (let at = 0; at < requests.length; at += 20)
      await Promise.all(
        requests.slice(at, at + 20).map(async (request) => {
          for (const status of await tryOne(Number(port), request))
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }),
      )
    const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
    t.diagnostic(`FUZZ_SEED=${seed}: ${requests.length} sockets. Answers ${counts}`)
    for (const status of [200, 400, 417, 431])
      assert.ok(statuses.has(status), `${status} never came: the requests did not arrive`)
    await assertWell(service)
  })
})

async function tryOne(port: number, request: RawRequest): Promise<number[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  const what = `seed ${seed}, ${request.kind}: ${request.bytes.toString('latin1').slice(0, 300)}`
  try {
    await once(socket, 'connect')
    socket.write(request.bytes)
    await Promise.race([once(socket, 'close'), sleep(100)])
    socket.end()
    assert.ok(await closes(socket), `still open. ${what}`)
  } finally {
    socket.destroy()
  }
  const answers = splitAnswers(Buffer.concat(chunks).toString('latin1'))
  for (const { status, headers, text } of answers) {
    assert.ok(status < 500, `${status}. ${what}`)
    if (status >= 400) assertApiException({ status, headers, text })
  }
  const got = answers.map(({ status }) => status)
  if (request.answers !== undefined) assert.deepEqual(got, request.answers, what)
  return got
}

async function closes(socket: Socket): Promise<boolean> {
  if (socket.readableEnded || socket.closed) return true
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]).then(() => true)
  return Promise.race([ended.catch(() => true), sleep(CLOSES_WITHIN_MS, false, { ref: false })])
}

/** Answers that came one after another, their bodies by length or in chunks. */
function splitAnswers(text: string) {
  const answers: { status: number; headers: Record<string, string>; text: string }[] = []
  for (let rest = text; rest !== ''; ) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest)
    assert.ok(head?.[1] !== undefined && head[2] !== undefined, `no answer: ${rest.slice(0, 200)}`)
    const lines = head[2].split('\r\n').filter((line) => line !== '')
    const headers = Object.fromEntries(lines.map(toHeader))
    rest = rest.slice(head[0].length)
    const isChunked = headers['transfer-encoding'] === 'chunked'
    const taken = isChunked
      ? takeChunks(rest)
      : takeLength(rest, Number(headers['content-length'] ?? 0))
    answers.push({ status: Number(head[1]), headers, text: taken.text })
    rest = taken.rest
  }
  return answers
}

function takeLength(rest: string, length: number) {
  assert.ok(rest.length >= length, 'an answer was cut')
  return { text: rest.slice(0, length), rest: rest.slice(length) }
}

function takeChunks(from: string) {
  let text = ''
  for (let rest = from; ; ) {
    const head = /^([0-9a-f]+)\r\n/.exec(rest)
    assert.ok(head?.[1] !== undefined, 'an answer was cut')
    const chunk = takeLength(rest.slice(head[0].length), Number.parseInt(head[1], 16))
    text += chunk.text
    rest = chunk.rest.slice(2)
    if (chunk.text === '') return { text, rest }
  }
}

function toHeader(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
}

async function assertWell(service: ServiceProcess): Promise<void> {
  assert.equal(service.child.exitCode, null, service.lastWords())
  assert.equal((await service.call('GET', '/v1/user')).status, 200)
  assert.equal((await service.call('POST', '/v1/link', { linkName: 'after' })).status, 201)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /^linchpin_http_request_duration_seconds_count/m)
}
