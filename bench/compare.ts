import { startChild } from './child.ts'
import { measure, type Round, type Traffic } from './measure.ts'
import type { MeasuredOperation } from './operations.ts'
import { median } from './statistics.ts'
import type { BenchmarkedService } from './subject.ts'

/** Rounds of one side. */
export interface ServerMetrics {
  readonly perSecond: Range
  readonly p99Ms: number
  readonly cpuMicros: Range
  readonly childCpuMicros: number
}

/** Median, least and greatest of all rounds. */
export interface Range {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** One operation, compared with the limit of Node for the same bytes. */
export interface ComparisonRow {
  readonly name: string
  readonly connections: number
  readonly linchpin: ServerMetrics
  readonly bare: ServerMetrics
}

export interface RoundOptions {
  readonly count: number
  readonly seconds: number
}

/** Measures the service and a bare server alternately, so that other load on the machine affects both. */
export async function compare(
  subject: BenchmarkedService,
  operation: MeasuredOperation,
  { count, seconds }: RoundOptions,
): Promise<ComparisonRow> {
  const { name, connections, requests } = operation
  const bareServer = await startChild('./bare-server.ts', await recordResponses(subject, requests))
  const headers = { authorization: `Bearer ${operation.token ?? subject.token}` }
  const { url, pid } = subject.service
  const linchpin: Traffic = { url, pid, requests, headers, connections, seconds }
  const bare = {
    ...linchpin,
    url: bareServer.url,
    pid: bareServer.pid,
    requests: withNumberedPaths(requests),
  }
  const linchpinRounds: Round[] = []
  const bareRounds: Round[] = []
  try {
    await warmUp(linchpin, bare)
    for (let round = 0; round < count; round += 1) {
      bareRounds.push(await measure(bare))
      linchpinRounds.push(await measure(linchpin))
    }
  } finally {
    await bareServer.stop()
  }
  return { name, connections, linchpin: summarize(linchpinRounds), bare: summarize(bareRounds) }
}

async function warmUp(linchpin: Traffic, bare: Traffic): Promise<void> {
  await measure({ ...bare, seconds: 0.5 })
  await measure({ ...linchpin, seconds: 0.5 })
}

/** The responses of the service, which the bare server repeats. */
async function recordResponses({ service }: BenchmarkedService, requests: Traffic['requests']) {
  const responses: { status: number; body: string }[] = []
  for (const { method, path, body } of requests) {
    const requestBody = body === undefined ? undefined : (JSON.parse(body) as unknown)
    const response = await service.call(method, path.replace(/^\/api/, ''), requestBody)
    responses.push({ status: response.status, body: JSON.stringify(response.body) })
  }
  return responses
}

function withNumberedPaths(requests: Traffic['requests']): Traffic['requests'] {
  return requests.map((request, index) => ({ ...request, path: `/${index}` }))
}

function summarize(rounds: readonly Round[]): ServerMetrics {
  return {
    perSecond: toRange(rounds.map((round) => round.perSecond)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
    cpuMicros: toRange(rounds.map((round) => round.cpuMicros)),
    childCpuMicros: median(rounds.map((round) => round.childCpuMicros)),
  }
}

function toRange(values: readonly number[]): Range {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}
