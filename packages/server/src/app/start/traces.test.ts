import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { testApp } from '../../../test/test-app.ts'
import { createLog } from '../../platform/http/log.ts'
import { readEnvironment } from './environment.ts'
import { openMeasurements } from './open-runtime.ts'

interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[]
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`

/** A collector: what it receives, and what it answers. */
class Collector {
  readonly spans: ReceivedSpan[] = []
  headers: IncomingHttpHeaders = {}
  text = ''
  answer: { status: number; body: string } | undefined = { status: 200, body: '{}' }
  readonly server: Server = createServer((request, response) => {
    this.headers = request.headers
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      this.text = String(Buffer.concat(chunks))
      const { resourceSpans } = JSON.parse(this.text)
      this.spans.push(...resourceSpans[0].scopeSpans[0].spans)
      if (this.answer) response.writeHead(this.answer.status).end(this.answer.body)
    })
  })
  get url() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/traces`
  }
}

describe('Traces', () => {
  const collector = new Collector()
  before(async () => {
    collector.server.listen(0, '127.0.0.1')
    await new Promise((resolve) => collector.server.once('listening', resolve))
  })
  after(() => {
    collector.server.closeAllConnections()
    collector.server.close()
  })
  beforeEach(() => {
    collector.spans.length = 0
    collector.answer = { status: 200, body: '{}' }
  })

  async function open(env: Record<string, string> = {}) {
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => void lines.push(line) })
    const config = readEnvironment({
      LINCHPIN_OTLP_ENDPOINT: collector.url,
      LINCHPIN_EGRESS_ALLOW: 'telemetry=127.0.0.1',
      LINCHPIN_OTLP_RATIO: '1',
      ...env,
    })
    const measurements = await openMeasurements(config, { log, now: Date.now })
    const { tracing } = measurements
    assert.ok(tracing)
    return { ...measurements, tracing, lines }
  }

  it('load OpenTelemetry only if they are configured', async () => {
    const isLoaded = () =>
      Object.keys(createRequire(import.meta.url).cache).some((file) =>
        file.includes('@opentelemetry/sdk-trace'),
      )
    const { tracing } = await openMeasurements(readEnvironment({}), {
      log: createLog('silent'),
      now: Date.now,
    })
    assert.deepEqual([tracing, isLoaded()], [undefined, false])
    await (await open()).tracing.stop()
    assert.equal(isLoaded(), true)
  })

  it('have a span per request, continued from a trusted proxy, and children for its transactions', async () => {
    const { tracing, workMetrics } = await open({ LINCHPIN_OTLP_HEADERS: 'Api-Key=s%3Dcret' })
    const t = await testApp({ tracing, workMetrics, trustProxy: ['127.0.0.1'] })
    await t.createToken({ name: 'Hidden name' })
    await t.call('GET', '/v1/user?include=secret-query', { headers: { traceparent: TRACEPARENT } })
    const { logs } = t
    await t.close()
    await tracing.stop()
    const [created, read] = ['POST', 'GET'].map((method) =>
      collector.spans.find(({ name, kind }) => kind === 2 && name.startsWith(`${method} /api/`)),
    )
    assert.ok(created && read)
    const values = Object.fromEntries(
      read.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    )
    assert.equal(values['http.request.method'], 'GET')
    assert.equal(values['http.route'], '/api/v1/user')
    assert.match(values['http.response.status_code'] ?? '', /^\d{3}$/)
    assert.match(values['linchpin.token_id'] ?? '', /^tok_/)
    assert.deepEqual([read.traceId, read.parentSpanId], [TRACE_ID, 'b7ad6b7169203331'])
    assert.ok(BigInt(read.endTimeUnixNano) > BigInt(read.startTimeUnixNano))
    const transaction = collector.spans.find(({ name }) => name === 'transaction')
    assert.deepEqual(
      [transaction?.traceId, transaction?.parentSpanId],
      [created.traceId, created.spanId],
    )
    assert.ok(logs.some((line) => line.includes(`"traceId":"${created.traceId}"`)))
    assert.equal(collector.headers['api-key'], 's=cret')
    assert.doesNotMatch(collector.text, /secret-query|Hidden name|lp_/)
    assert.equal(tracing.counts().exported, collector.spans.length)
  })

  it('begin with each job and outgoing request; a transaction without a parent has no span', async () => {
    const { tracing, workMetrics } = await open()
    await workMetrics.observeJob('sweep', async () => {
      await tracing.trace({ name: 'inner', kind: 'internal', position: 'child' }, async () => 1)
    })()
    await tracing.trace({ name: 'orphan', kind: 'internal', position: 'child' }, async () => 1)
    const gateway = workMetrics.observeEgress({
      request: async () => ({ status: 204 }),
    } as unknown as Parameters<typeof workMetrics.observeEgress>[0])
    const policy = { purpose: 'webhook' } as Parameters<typeof gateway.request>[1]
    await gateway.request({ method: 'POST', url: 'https://shop.example/secret?x=1' }, policy)
    await tracing.stop()
    assert.deepEqual(
      collector.spans.map(({ name }) => name),
      ['inner', 'job sweep', 'POST webhook'],
    )
    assert.equal(collector.spans[0]?.parentSpanId, collector.spans[1]?.spanId)
    assert.match(collector.text, /shop\.example/)
    assert.doesNotMatch(collector.text, /secret\?/)
  })

  it('follow the decision of their parent, and else the ratio', async () => {
    const { tracing } = await open({ LINCHPIN_OTLP_RATIO: '0' })
    const t = await testApp({ tracing, trustProxy: ['127.0.0.1'] })
    await t.call('GET', '/v1/user')
    await t.call('GET', '/v1/user', { headers: { traceparent: TRACEPARENT } })
    await t.close()
    await tracing.stop()
    assert.deepEqual(
      collector.spans.map(({ traceId }) => traceId),
      [TRACE_ID],
    )
  })

  const record = (tracing: Awaited<ReturnType<typeof open>>['tracing'], count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        tracing.trace({ name: 'x', kind: 'internal', position: 'root' }, async () => 1),
      ),
    )

  for (const status of [429, 500])
    it(`are dropped, counted and logged once when the collector responds with ${status}`, async () => {
      const { tracing, lines } = await open()
      collector.answer = { status, body: 'no' }
      await record(tracing, 600)
      await tracing.stop()
      assert.equal(tracing.counts().dropped.failed, 600)
      assert.equal(lines.length, 1)
      assert.match(lines[0] ?? '', new RegExp(`"status":${status}`))
    })

  it('count what a partial success rejects', async () => {
    const { tracing } = await open()
    collector.answer = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"2"}}' }
    await record(tracing, 5)
    await tracing.stop()
    assert.deepEqual(tracing.counts(), {
      exported: 3,
      dropped: { queue_full: 0, failed: 0, rejected: 2 },
    })
  })

  it('are bounded while the collector hangs, and the stop does not wait for it to respond', async () => {
    const { tracing } = await open()
    collector.answer = undefined
    await record(tracing, 6_000)
    const startedAt = performance.now()
    await tracing.stop()
    assert.ok(performance.now() - startedAt < 4_000)
    const { exported, dropped } = tracing.counts()
    assert.equal(exported, 0)
    assert.ok(dropped.queue_full >= 6_000 - 4_096 - 512)
    assert.equal(dropped.queue_full + dropped.failed, 6_000)
  })

  it('go to an address of the allow list for their purpose only', async () => {
    const { tracing, lines } = await open({ LINCHPIN_EGRESS_ALLOW: 'webhook=127.0.0.1' })
    await record(tracing, 1)
    await tracing.stop()
    assert.equal(tracing.counts().dropped.failed, 1)
    assert.match(lines[0] ?? '', /refused/)
    assert.deepEqual(collector.spans, [])
  })
})
