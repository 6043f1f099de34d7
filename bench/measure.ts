import { once } from 'node:events'
import { connect } from 'node:net'
import { cpuSeconds } from './cpu-time.ts'
import { readAnswers } from './read-answers.ts'

/** What is sent, again and again: the requests take turns. */
export interface Traffic {
  readonly url: string
  /** The process that answers. */
  readonly pid: number
  readonly requests: readonly SentRequest[]
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

export interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/** One round of load. */
export interface Round {
  readonly perSecond: number
  readonly p99Ms: number
  /** CPU time of the process that answers, in microseconds a request. */
  readonly cpuMicros: number
}

/**
 * Sends for a while over kept-alive connections, one request at a time on each. Plain sockets and requests that were
 * written beforehand: on two cores a costly client would be what is measured.
 *
 * @throws when an answer is not 2xx or a connection breaks
 */
export async function measure(traffic: Traffic): Promise<Round> {
  const requests = traffic.requests.map((request) => toBytes(request, traffic))
  const took: number[] = []
  let turn = 0
  const next = () => requests[turn++ % requests.length] ?? Buffer.alloc(0)
  const cpuFrom = cpuSeconds(traffic.pid)
  const from = performance.now()
  const until = from + traffic.seconds * 1_000
  const clients = Array.from({ length: traffic.connections }, () =>
    runClient(traffic.url, next, until, took),
  )
  await Promise.all(clients)
  const seconds = (performance.now() - from) / 1_000
  took.sort((a, b) => a - b)
  return {
    perSecond: took.length / seconds,
    p99Ms: took[Math.floor(took.length * 0.99)] ?? Number.NaN,
    cpuMicros: ((cpuSeconds(traffic.pid) - cpuFrom) * 1e6) / took.length,
  }
}

async function runClient(
  url: string,
  next: () => Buffer,
  until: number,
  took: number[],
): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let sentAt = 0
  const send = () => {
    sentAt = performance.now()
    socket.write(next())
  }
  const read = readAnswers((status) => {
    const now = performance.now()
    took.push(now - sentAt)
    if (status < 200 || status > 299) reject(new Error(`${url} answered ${status}`))
    else if (now < until) send()
    else resolve()
  })
  socket.on('data', read)
  socket.once('error', reject)
  socket.once('close', () => reject(new Error(`${url} closed the connection`)))
  send()
  await promise.finally(() => socket.destroy())
}

function toBytes({ method, path, body }: SentRequest, { url, headers }: Traffic): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${new URL(url).host}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}
