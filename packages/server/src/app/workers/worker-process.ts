import { type ChildProcess, fork } from 'node:child_process'
import type { Server } from 'node:http'
import type { NodeLimiter } from '../../access/auth/node-limiter.ts'
import type { RefusalCount } from '../../activity/audit/refusals.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { MetricValues } from '../observability/sum-metrics.ts'
import {
  type MessageFromWorker,
  type MessageToWorker,
  RATES_INTERVAL_MS,
  type SpansResponse,
  type WorkerSettings,
} from './messages.ts'

/** The program of workers. */
export interface WorkerProgram {
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface WorkerOptions {
  readonly program: WorkerProgram
  readonly settings: WorkerSettings
  /** The worker accepts connections on its socket, too. */
  readonly server: Server
  /** Records refused requests. */
  readonly onRefused: (counts: readonly RefusalCount[]) => void
  /** Records the use of a token. */
  readonly onTokenUsed: (tokenId: Id<'tok'>, at: number) => void
  /** Sends the spans of a worker to the collector. */
  readonly sendSpans: (body: string) => Promise<SpansResponse>
  /** Counts the requests of all processes. */
  readonly limiter: Pick<NodeLimiter, 'reportWorker' | 'listOthers'>
}

/** The main process's side of a worker. */
export class Worker {
  /** The metrics that were collected last. */
  lastMetrics: MetricValues = []
  /** The requests that it answers itself and that had not ended when it reported last: while it drains, or when it was killed. */
  requestsInProgress = 0
  readonly #child: ChildProcess
  readonly #options: WorkerOptions
  readonly #onReady: () => void
  readonly #pending = new Map<number, () => void>()
  #nextId = 0
  #unansweredPings = 0

  constructor(options: WorkerOptions, onReady: () => void) {
    const { program, settings, server } = options
    this.#options = options
    this.#onReady = onReady
    this.#child = fork(program.file, {
      env: program.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message: MessageFromWorker) => this.#receive(message))
    this.#send({ type: 'start', settings }, server)
    const pings = setInterval(() => this.#ping(), PING_MS)
    const rates = setInterval(() => this.#reportRates(), RATES_INTERVAL_MS)
    this.onceEnded(() => {
      clearInterval(pings)
      clearInterval(rates)
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Calls back once, when the process has ended or could not be started. */
  onceEnded(callback: () => void): void {
    const child = this.#child
    child.once('exit', callback)
    child.on('error', () => {
      if (child.pid === undefined) callback()
    })
  }

  /** Its metrics now, or the last ones if it does not answer. */
  async collectMetrics(): Promise<MetricValues> {
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pending.set(id, resolve)
    const timer = setTimeout(resolve, METRICS_TIMEOUT_MS)
    this.#send({ type: 'collect-metrics', id })
    await promise
    clearTimeout(timer)
    this.#pending.delete(id)
    return this.lastMetrics
  }

  /** Lets it tell clients to close their connections. It still accepts new ones. */
  drain(): void {
    this.#send({ type: 'drain' })
  }

  /** Lets it finish its requests, and resolves when it has ended. Kills it after the time. */
  async stop(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.onceEnded(resolve)
    this.#send({ type: 'stop' })
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs)
    await promise
    clearTimeout(timer)
    if (this.#child.signalCode === null) this.requestsInProgress = 0
  }

  /** Kills a worker that no longer answers: connections that it has accepted would wait for ever. */
  #ping(): void {
    // Counted, not timed: after a pause of the whole machine, the worker has had no time to answer either.
    if (this.#unansweredPings >= MAX_UNANSWERED_PINGS) this.#child.kill('SIGKILL')
    this.#unansweredPings += 1
    this.#send({ type: 'ping' })
  }

  async #sendSpans(id: number, body: string): Promise<void> {
    const response = await this.#options.sendSpans(body).catch(() => undefined)
    this.#send({ type: 'spans-answered', id, response })
  }

  #reportRates(): void {
    const usages = this.#options.limiter.listOthers(this.pid ?? 0)
    if (usages.length > 0) this.#send({ type: 'others-accepted', usages })
  }

  #send(message: MessageToWorker, handle?: Server): void {
    // A worker that has died is reported by its exit.
    this.#child.send(message, handle, {}, () => {})
  }

  #receive(message: MessageFromWorker): void {
    const { onRefused, onTokenUsed, limiter } = this.#options
    if (message.type === 'ready') this.#onReady()
    if (message.type === 'refused') onRefused(message.counts)
    if (message.type === 'accepted') limiter.reportWorker(this.pid ?? 0, message.usages)
    if (message.type === 'spans') void this.#sendSpans(message.id, message.body)
    if (message.type === 'in-progress') this.requestsInProgress = message.requests
    if (message.type === 'pong') this.#unansweredPings = 0
    if (message.type === 'token-used') onTokenUsed(message.tokenId, message.at)
    if (message.type !== 'metrics') return
    this.lastMetrics = message.metrics
    this.#pending.get(message.id)?.()
  }
}

const PING_MS = 1_000
const MAX_UNANSWERED_PINGS = 15
const METRICS_TIMEOUT_MS = 1_000
