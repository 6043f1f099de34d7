import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import { createRateLimiter } from '../../access/auth/rate-limiter.ts'
import type { Log } from '../../platform/http/log.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import type { CollectorResponse, SpanExporterDeps } from '../observability/tracing/span-exporter.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import { closeServer } from './close-server.ts'
import { createForwarder } from './forward-requests.ts'
import {
  type MessageFromWorker,
  type MessageToWorker,
  RATES_INTERVAL_MS,
  type SpansResponse,
  type WorkerSettings,
} from './messages.ts'
import { buildWorkerApp } from './worker-app.ts'

/** The channel of a worker to the main process. */
export interface MainChannel {
  send(message: MessageFromWorker): void
  /** Receives the next messages. */
  onMessage(receive: (message: MessageToWorker) => void): void
}

/** Serves requests on a listening socket until the main process sends `stop`; resolves when all is closed. */
export async function runWorker(
  settings: WorkerSettings,
  socket: Server,
  { channel, log }: { readonly channel: MainChannel; readonly log: Log },
): Promise<void> {
  const { databaseUrl: url, databaseFile: file, postgres, baseUrl, mainAddress } = settings
  const database = await openDatabase({ url, file, postgres, readOnly: true })
  const forwarder = createForwarder(mainAddress)
  const limiter = createRateLimiter(Date.now, settings.processCount)
  const drainState = { isDraining: false }
  const spans = createSpanSender(channel.send)
  const tracing = await openTracing(settings, { send: spans.send, log, now: Date.now })
  const { app, registry, requests } = await buildWorkerApp({
    ...settings,
    drainState,
    tracing,
    limiter,
    database,
    log,
    baseUrl: () => baseUrl,
    now: Date.now,
    forwarder,
    onRefused: (counts) => channel.send({ type: 'refused', counts }),
    onTokenUsed: (tokenId, at) => channel.send({ type: 'token-used', tokenId, at }),
  })
  const stopped = Promise.withResolvers<void>()
  const startDraining = () => {
    drainState.isDraining = true
    const report = () => channel.send({ type: 'in-progress', requests: requests.size })
    report()
    setInterval(report, DRAIN_REPORT_MS).unref()
  }
  channel.onMessage((message) => {
    if (message.type === 'drain') startDraining()
    if (message.type === 'stop') stopped.resolve()
    if (message.type === 'spans-answered') spans.answer(message.id, message.response)
    if (message.type === 'others-accepted') limiter.reportOthers(message.usages)
    if (message.type === 'collect-metrics')
      void registry
        .getMetricsAsJSON()
        .then((metrics) => channel.send({ type: 'metrics', id: message.id, metrics }))
  })
  const reporting = setInterval(() => {
    const usages = limiter.listUsage()
    if (usages.length > 0) channel.send({ type: 'accepted', usages })
  }, RATES_INTERVAL_MS).unref()
  app.server.listen(socket)
  await once(app.server, 'listening')
  channel.send({ type: 'ready' })
  await stopped.promise
  clearInterval(reporting)
  await closeServer(app.server)
  await app.close()
  await tracing?.stop()
  forwarder.close()
  await database.close()
}

/** Undefined without LINCHPIN_OTLP_ENDPOINT: nothing of OpenTelemetry is then loaded. */
async function openTracing(
  { otlpRatio }: WorkerSettings,
  deps: Omit<SpanExporterDeps, 'resource'>,
): Promise<Tracing | undefined> {
  if (otlpRatio === undefined) return undefined
  const { createTracing } = await import('../observability/tracing/create-tracing.ts')
  return createTracing({ ...deps, ratio: otlpRatio })
}

/** Requests that end within this time after another report may be counted as cut off. */
const DRAIN_REPORT_MS = 200

/** Removes the socket of a main process that has died without doing so. */
export function removeSocketFolder({ mainAddress }: WorkerSettings): void {
  rmSync(path.dirname(mainAddress.socketPath), { recursive: true, force: true })
}

/** Sends the spans of a worker to the collector: through the main process, which has the egress gateway. */
interface SpanSender {
  readonly send: SpanExporterDeps['send']
  /** Receives the answer of the main process. */
  answer(id: number, response: SpansResponse): void
}

function createSpanSender(post: (message: MessageFromWorker) => void): SpanSender {
  const waiting = new Map<number, (response: SpansResponse) => void>()
  let nextId = 0
  return {
    async send(body, signal): Promise<CollectorResponse> {
      const id = nextId++
      const { promise, resolve } = Promise.withResolvers<SpansResponse>()
      waiting.set(id, resolve)
      post({ type: 'spans', id, body: Buffer.from(body).toString() })
      const settled = new AbortController()
      const aborted = once(signal, 'abort', { signal: settled.signal }).catch(() => {})
      const response = await Promise.race([promise, aborted])
      settled.abort()
      waiting.delete(id)
      if (response === undefined || Array.isArray(response))
        throw new Error('the collector did not respond')
      return { status: response.status, body: Buffer.from(response.body) }
    },
    answer: (id, response) => waiting.get(id)?.(response),
  }
}
