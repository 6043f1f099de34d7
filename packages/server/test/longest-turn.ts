import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

/** A request of another thread, whose work is not part of what is measured. */
export interface RepeatedRequest {
  readonly url: string
  readonly token: string
  /** Concurrent requests. */
  readonly callers: number
}

/** What the responses had in common. */
export interface ResponseSummary {
  /** The highest of them. */
  readonly status: number
  readonly bytes: number
}

/**
 * The CPU time of the longest turn of this thread's event loop while the requests run, in milliseconds: on an idle machine
 * others wait for so long. Without the pauses of the garbage collector, which depend on the whole heap; and the least of several
 * attempts, because the compiler and other processes add to some.
 */
export async function measureLongestTurn(
  request: RepeatedRequest,
  goalMs: number,
): Promise<ResponseSummary & { readonly longestMs: number }> {
  let least = Number.POSITIVE_INFINITY
  let summary: ResponseSummary = { status: 0, bytes: 0 }
  for (let attempt = 0; attempt < 6 && least > goalMs; attempt += 1) {
    const stop = observeTurns(goalMs)
    summary = await send(request)
    least = Math.min(least, await stop())
  }
  return { ...summary, longestMs: least }
}

interface Turn {
  readonly cpuMs: number
  /** On the clock of `performance`. */
  readonly start: number
  readonly end: number
}

/** Returns a function that returns the longest turn since. */
function observeTurns(goalMs: number): () => Promise<number> {
  const pauses: PerformanceEntry[] = []
  const collector = new PerformanceObserver((list) => pauses.push(...list.getEntries()))
  collector.observe({ type: 'gc' })
  const longTurns: Turn[] = []
  let longestShort = 0
  let isStopped = false
  let start = performance.now()
  let before = process.threadCpuUsage()
  const observe = () => {
    const { user, system } = process.threadCpuUsage(before)
    const cpuMs = (user + system) / 1_000
    if (cpuMs > goalMs) longTurns.push({ cpuMs, start, end: performance.now() })
    else longestShort = Math.max(longestShort, cpuMs)
    start = performance.now()
    before = process.threadCpuUsage()
    if (!isStopped) setImmediate(observe)
  }
  setImmediate(observe)
  return async () => {
    isStopped = true
    // The observer is called later.
    await new Promise((resolve) => setTimeout(resolve, 10))
    collector.disconnect()
    const withoutPauses = longTurns.map((turn) => turn.cpuMs - sumPauses(turn, pauses))
    return Math.max(longestShort, ...withoutPauses)
  }
}

function sumPauses({ start, end }: Turn, pauses: readonly PerformanceEntry[]): number {
  return pauses
    .filter(({ startTime }) => startTime >= start && startTime < end)
    .reduce((sum, { duration }) => sum + duration, 0)
}

function send(request: RepeatedRequest): Promise<ResponseSummary> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseSummary>()
  const worker = new Worker(CLIENT, { eval: true, workerData: request })
  worker.once('message', resolve).once('error', reject)
  return promise
}

const CLIENT = `
const { parentPort, workerData: { url, token, callers } } = require('node:worker_threads')
const send = async () => {
  const response = await fetch(url, { headers: { authorization: 'Bearer ' + token } })
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  return { status: response.status, bytes }
}
Promise.all(Array.from({ length: callers }, send)).then((responses) =>
  parentPort.postMessage({
    status: Math.max(...responses.map(({ status }) => status)),
    bytes: Math.min(...responses.map(({ bytes }) => bytes)),
  }))`
