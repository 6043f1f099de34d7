import { type BenchChild, startChild } from './child.ts'
import { measure, type Round, type SentRequest, type Traffic } from './measure.ts'
import type { MeasuredOperation } from './operations.ts'
import { type Range, toRange } from './statistics.ts'
import type { BenchmarkedService } from './subject.ts'

/** Rounds of one side. */
export interface ServerMetrics {
  readonly perSecond: Range
  readonly p50Ms: Range
  readonly p99Ms: Range
  readonly cpuMicros: Range
  readonly childCpuMicros: Range
}

/** The rounds of an operation on two sides. */
export interface Comparison {
  readonly name: string
  readonly connections: number
  /** The service. */
  readonly own: ServerMetrics
  /** What it is compared with: the limit of Node, or another commit. */
  readonly other: ServerMetrics
  /** Of the other side over the service. */
  readonly ratios: { readonly cpu: Ratio; readonly p99: Ratio }
  /** Whether something else was measured at the same time, whose CPU time is included. */
  readonly isShared: boolean
}

/** Of pairs of rounds that ran one after the other, without the least and the greatest; and of the least of each side. */
export interface Ratio extends Range {
  readonly ofMinima: number
}

export interface RoundOptions {
  readonly count: number
  readonly seconds: number
}

/** A measured operation of a service. */
export interface ServiceOperation {
  readonly subject: BenchmarkedService
  readonly operation: MeasuredOperation
}

/**
 * Compares an operation with the limit of Node: a bare server that responds with the same bytes, or a bare proxy that sends
 * the same request to the provider. Empty if the service does not have what is measured.
 */
export async function compareWithBare(
  service: ServiceOperation,
  options: RoundOptions,
): Promise<Comparison[]> {
  const own = await prepareLoads(service, options)
  const servers: BenchChild[] = []
  const bare: Load[] = []
  try {
    for (const load of own) {
      const server = await startBare(service.subject, load)
      servers.push(server)
      bare.push({ ...load, traffic: toBareTraffic(load, server) })
    }
    return await compareLoads(own, bare, options)
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Compares an operation of two services. Empty if one of them does not have what is measured. */
export async function compareServices(
  own: ServiceOperation,
  other: ServiceOperation,
  options: RoundOptions,
): Promise<Comparison[]> {
  return compareLoads(await prepareLoads(own, options), await prepareLoads(other, options), options)
}

/** What is sent to a side at the same time. */
interface Load {
  readonly operation: MeasuredOperation
  readonly traffic: Traffic
}

async function prepareLoads(
  { subject, operation }: ServiceOperation,
  { seconds }: RoundOptions,
): Promise<Load[]> {
  const loads: Load[] = []
  for (const each of [operation, ...(operation.beside ? [operation.beside] : [])]) {
    const prepared = await each.prepare()
    if (prepared === undefined) return []
    const { requests, status, token = subject.token } = prepared
    const { url, pid } = subject.service
    const headers = { authorization: `Bearer ${token}`, ...prepared.headers }
    const { connections } = each
    const sent = { count: 0 }
    const traffic = { url, pid, requests, headers, connections, seconds, status, sent }
    loads.push({ operation: each, traffic })
  }
  return loads
}

/** Measures both sides alternately, so that other load on the machine affects both. */
async function compareLoads(
  own: readonly Load[],
  other: readonly Load[],
  { count }: RoundOptions,
): Promise<Comparison[]> {
  if (own.length === 0 || other.length === 0) return []
  const sides = [own, other] as const
  for (const side of sides) await measureLoads(side, WARM_UP_SECONDS)
  const rounds: [Round[][], Round[][]] = [[], []]
  for (let round = 0; round < count; round += 1)
    for (const index of round % 2 === 0 ? ([1, 0] as const) : ([0, 1] as const))
      rounds[index].push(await measureLoads(sides[index]))
  return own.map(({ operation }, index) => {
    const [ownRounds, otherRounds] = rounds.map((each) => each.map((round) => round[index]))
    return compareRounds(operation, own.length > 1, toRounds(ownRounds), toRounds(otherRounds))
  })
}

const WARM_UP_SECONDS = 0.5

function toRounds(rounds: readonly (Round | undefined)[] = []): Round[] {
  return rounds.filter((round) => round !== undefined)
}

function measureLoads(loads: readonly Load[], seconds?: number): Promise<Round[]> {
  return Promise.all(
    loads.map(({ traffic }) => measure({ ...traffic, seconds: seconds ?? traffic.seconds })),
  )
}

function compareRounds(
  { name, connections }: MeasuredOperation,
  isShared: boolean,
  own: readonly Round[],
  other: readonly Round[],
): Comparison {
  const toRatio = (read: (round: Round) => number): Ratio => {
    const [values, others] = [own.map(read), other.map(read)]
    const ratios = values.map((value, index) => (others[index] ?? Number.NaN) / value)
    const trimmed = ratios.toSorted((a, b) => a - b).slice(1, -1)
    return { ...toRange(trimmed), ofMinima: Math.min(...others) / Math.min(...values) }
  }
  return {
    name,
    connections,
    own: summarize(own),
    other: summarize(other),
    ratios: {
      cpu: toRatio((round) => round.cpuMicros + round.childCpuMicros),
      p99: toRatio((round) => round.p99Ms),
    },
    isShared,
  }
}

function summarize(rounds: readonly Round[]): ServerMetrics {
  return {
    perSecond: toRange(rounds.map((round) => round.perSecond)),
    p50Ms: toRange(rounds.map((round) => round.p50Ms)),
    p99Ms: toRange(rounds.map((round) => round.p99Ms)),
    cpuMicros: toRange(rounds.map((round) => round.cpuMicros)),
    childCpuMicros: toRange(rounds.map((round) => round.childCpuMicros)),
  }
}

function startBare(subject: BenchmarkedService, { operation, traffic }: Load): Promise<BenchChild> {
  if (operation.provider === undefined)
    return recordResponses(operation, traffic).then((responses) =>
      startChild('./bare-server.ts', responses),
    )
  return startChild('./bare-proxy.ts', { target: subject.deskUrl })
}

/** The responses of the service, which the bare server repeats: of a request that works once, for all. */
async function recordResponses(operation: MeasuredOperation, traffic: Traffic) {
  const { url, headers } = traffic
  const responses: { status: number; body: string }[] = []
  for (const { method, path, body } of getRecordedRequests(operation, traffic)) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { ...headers, ...type }, ...(body && { body }) }
    const response = await fetch(url + path, init)
    responses.push({ status: response.status, body: await response.text() })
  }
  return responses
}

function getRecordedRequests(
  { isRepeatable = true }: MeasuredOperation,
  { requests, sent }: Traffic,
): readonly SentRequest[] {
  if (isRepeatable) return requests
  if (sent !== undefined) sent.count += 1
  return requests.slice(0, 1)
}

function toBareTraffic({ operation, traffic }: Load, { url, pid }: BenchChild): Traffic {
  const { provider } = operation
  const target = { ...traffic, url, pid, sent: { count: 0 } }
  if (provider !== undefined) {
    const { path, headers } = provider
    return { ...target, requests: [{ method: 'GET', path }], headers }
  }
  const requests = traffic.requests.map((request, index) => ({
    ...request,
    path: operation.isRepeatable === false ? '/0' : `/${index}`,
  }))
  return { ...target, requests }
}
