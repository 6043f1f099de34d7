import { once } from 'node:events'
import { connect } from 'node:net'
import { readCpuSeconds } from './process-tree.ts'
import { readResponses } from './read-responses.ts'

/** The requests of a measurement, sent repeatedly in turn. */
export interface Traffic {
  readonly url: string
  /** The process that serves the requests. */
  readonly pid: number
  readonly requests: readonly SentRequest[]
  /** One named `host` replaces that of the URL. */
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  /** What else a response may have besides 2xx. */
  readonly status?: number | undefined
  /** How many requests earlier rounds have sent: a round continues there. Default: each begins with the first. */
  readonly sent?: { count: number }
}

export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: string
}

/** One round of load. */
export interface Round {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the serving process, in microseconds per request. */
  readonly cpuMicros: number
  /** CPU time of the processes below it that ran from start to end, in microseconds per request. */
  readonly childCpuMicros: number
}

/**
 * Sends requests over keep-alive connections for a while, one at a time on each. Uses plain sockets and prebuilt
 * requests, because on two cores an expensive client would dominate the measurement.
 *
 * @throws when a response has another status or a connection breaks
 */
export async function measure(traffic: Traffic): Promise<Round> {
  const requests = traffic.requests.map((request) => toBytes(request, traffic))
  const durations: number[] = []
  const sent = traffic.sent ?? { count: 0 }
  const next = () => requests[sent.count++ % requests.length] ?? Buffer.alloc(0)
  const cpuFrom = readCpuSeconds(traffic.pid)
  const startedAt = performance.now()
  const deadline = startedAt + traffic.seconds * 1_000
  const clients = Array.from({ length: traffic.connections }, () =>
    runClient(traffic, next, deadline, durations),
  )
  await Promise.all(clients)
  const seconds = (performance.now() - startedAt) / 1_000
  durations.sort((a, b) => a - b)
  const cpuUntil = readCpuSeconds(traffic.pid)
  const toMicros = (used: number) => (used * 1e6) / durations.length
  return {
    perSecond: durations.length / seconds,
    p50Ms: durations[Math.floor(durations.length / 2)] ?? Number.NaN,
    p99Ms: durations[Math.floor(durations.length * 0.99)] ?? Number.NaN,
    cpuMicros: toMicros(cpuUntil.own - cpuFrom.own),
    childCpuMicros: toMicros(cpuUntil.children - cpuFrom.children),
  }
}

async function runClient(
  { url, status: otherStatus }: Traffic,
  next: () => Buffer,
  deadline: number,
  durations: number[],
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
  const read = readResponses((status) => {
    const now = performance.now()
    durations.push(now - sentAt)
    if ((status < 200 || status > 299) && status !== otherStatus)
      reject(new Error(`${url} answered ${status}`))
    else if (now < deadline) send()
    else resolve()
  })
  socket.on('data', read)
  socket.once('error', reject)
  socket.once('close', () => reject(new Error(`${url} closed the connection`)))
  send()
  await promise.finally(() => socket.destroy())
}

function toBytes({ method, path, body }: SentRequest, { url, headers }: Traffic): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`]
  for (const [name, value] of Object.entries({ host: new URL(url).host, ...headers }))
    lines.push(`${name}: ${value}`)
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}
