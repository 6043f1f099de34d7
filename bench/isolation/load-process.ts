import { Agent, type IncomingMessage, request as sendRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadInput, LoadRequest, RequestStream, StreamResult } from './load-types.ts'

// A load generator: sends streams of requests until it is stopped, then reports the results of the measured ones.
interface Tally {
  readonly name: string
  readonly latencies: number[]
  readonly statuses: Record<string, number>
  withoutRetryAfter: number
  inFlight: number
}

type Command = { start: LoadInput } | { report: 'now' | 'answered' } | 'count'

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
const tallies: Tally[] = []
/** Requests that were due earlier are not measured. */
let countFrom = Number.POSITIVE_INFINITY
let isStopped = false

process.on('message', async (command: Command) => {
  if (command === 'count') countFrom = performance.now()
  else if ('report' in command) {
    isStopped = true
    if (command.report === 'answered') await waitForResponses()
    for (const tally of tallies)
      if (tally.inFlight > 0) countStatus(tally, 'unanswered', tally.inFlight)
    process.send?.(tallies.map(({ inFlight: _, ...result }): StreamResult => result))
  } else {
    for (const stream of command.start.streams) start(command.start, stream)
    process.send?.('started')
  }
})

/** Resolves when no request is pending, or after 30 s. */
async function waitForResponses(): Promise<void> {
  const end = performance.now() + 30_000
  while (tallies.some(({ inFlight }) => inFlight > 0) && performance.now() < end) await sleep(10)
}

function start(input: LoadInput, stream: RequestStream): void {
  const tally = {
    name: stream.name,
    latencies: [],
    statuses: {},
    withoutRetryAfter: 0,
    inFlight: 0,
  }
  tallies.push(tally)
  let nextIndex = Math.floor(Math.random() * stream.requests.length)
  const next = () => stream.requests[nextIndex++ % stream.requests.length] as LoadRequest
  const sendOne = (scheduledAt: number) => sendMeasured(input, next(), scheduledAt, tally)
  if (stream.perSecond !== undefined) void sendAtRate(stream, sendOne, tally)
  else
    for (let caller = 0; caller < (stream.callers ?? 1); caller += 1) void sendSequentially(sendOne)
}

async function sendAtRate(
  { perSecond = 1, maxInFlight = 256 }: RequestStream,
  sendOne: (scheduledAt: number) => Promise<void>,
  tally: Tally,
): Promise<void> {
  const interval = 1_000 / perSecond
  let scheduledAt = performance.now() + Math.random() * interval
  while (!isStopped) {
    await sleep(Math.max(0, scheduledAt - performance.now()))
    for (; scheduledAt <= performance.now() && !isStopped; scheduledAt += interval) {
      if (tally.inFlight < maxInFlight) void sendOne(scheduledAt)
      else if (scheduledAt >= countFrom) countStatus(tally, 'not sent')
    }
  }
}

async function sendSequentially(sendOne: (scheduledAt: number) => Promise<void>): Promise<void> {
  while (!isStopped) {
    const startedAt = performance.now()
    await sendOne(startedAt)
    // A client does not retry in the same millisecond after an immediate rejection.
    if (performance.now() - startedAt < 50) await sleep(50)
  }
}

async function sendMeasured(
  input: LoadInput,
  request: LoadRequest,
  scheduledAt: number,
  tally: Tally,
) {
  tally.inFlight += 1
  const outcome = await exchange(input, request)
  tally.inFlight -= 1
  if (scheduledAt < countFrom) return
  countStatus(tally, outcome.status)
  if (outcome.status === '200') tally.latencies.push(performance.now() - scheduledAt)
  if (outcome.status === '503' && !outcome.hasRetryAfter) tally.withoutRetryAfter += 1
}

function countStatus(tally: Tally, status: string, count = 1): void {
  tally.statuses[status] = (tally.statuses[status] ?? 0) + count
}

interface Outcome {
  readonly status: string
  readonly hasRetryAfter: boolean
}

function exchange({ url, token }: LoadInput, request: LoadRequest): Promise<Outcome> {
  const { method, path, body, contains } = request
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const resolveFailed = () => resolve({ status: 'failed', hasRetryAfter: false })
  sendRequest(`${url}${path}`, { method, agent, headers }, async (response) => {
    try {
      const text = await read(response, contains !== undefined)
      const isExpected =
        response.statusCode !== 200 || contains === undefined || text.includes(contains)
      const status = isExpected ? String(response.statusCode) : 'wrong'
      resolve({ status, hasRetryAfter: response.headers['retry-after'] !== undefined })
    } catch {
      resolveFailed()
    }
  })
    .once('error', resolveFailed)
    .end(body)
  return promise
}

async function read(response: IncomingMessage, isNeeded: boolean): Promise<string> {
  let text = ''
  for await (const chunk of response) if (isNeeded) text += chunk
  return text
}
