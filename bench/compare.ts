import { startChild } from './child.ts'
import { measure, type Round, type Traffic } from './measure.ts'
import type { Measured } from './operations.ts'
import { median } from './statistics.ts'
import type { Subject } from './subject.ts'

/** Rounds of one side. */
export interface Side {
  readonly perSecond: { readonly median: number; readonly min: number; readonly max: number }
  readonly p99Ms: number
  readonly cpuMicros: number
}

/** One operation beside the limit of what node can do with the same bytes. */
export interface Row {
  readonly name: string
  readonly connections: number
  readonly ours: Side
  readonly bare: Side
}

export interface Rounds {
  readonly count: number
  readonly seconds: number
}

/** Measures the service and a bare server in turns, so that a busy moment of the machine meets both. */
export async function compare(
  subject: Subject,
  operation: Measured,
  { count, seconds }: Rounds,
): Promise<Row> {
  const { name, connections, requests } = operation
  const bareServer = await startChild('./bare-server.ts', await answersOf(subject, requests))
  const headers = { authorization: `Bearer ${subject.token}` }
  const { url, pid } = subject.service
  const ours: Traffic = { url, pid, requests, headers, connections, seconds }
  const bare = { ...ours, url: bareServer.url, pid: bareServer.pid, requests: numbered(requests) }
  const oursRounds: Round[] = []
  const bareRounds: Round[] = []
  try {
    await warmUp(ours, bare)
    for (let round = 0; round < count; round += 1) {
      bareRounds.push(await measure(bare))
      oursRounds.push(await measure(ours))
    }
  } finally {
    await bareServer.stop()
  }
  return { name, connections, ours: side(oursRounds), bare: side(bareRounds) }
}

async function warmUp(ours: Traffic, bare: Traffic): Promise<void> {
  await measure({ ...bare, seconds: 0.5 })
  await measure({ ...ours, seconds: 0.5 })
}

/** What the service answers to each request, for the bare server to repeat. */
async function answersOf({ service }: Subject, requests: Traffic['requests']) {
  const answers: { status: number; body: string }[] = []
  for (const { method, path, body } of requests) {
    const sent = body === undefined ? undefined : (JSON.parse(body) as unknown)
    const answer = await service.call(method, path.replace(/^\/api/, ''), sent)
    answers.push({ status: answer.status, body: JSON.stringify(answer.body) })
  }
  return answers
}

function numbered(requests: Traffic['requests']): Traffic['requests'] {
  return requests.map((request, index) => ({ ...request, path: `/${index}` }))
}

function side(rounds: readonly Round[]): Side {
  const speeds = rounds.map((round) => round.perSecond)
  return {
    perSecond: { median: median(speeds), min: Math.min(...speeds), max: Math.max(...speeds) },
    p99Ms: median(rounds.map((round) => round.p99Ms)),
    cpuMicros: median(rounds.map((round) => round.cpuMicros)),
  }
}
