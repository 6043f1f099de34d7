import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createDataFolder, startMain } from '../../../test/main-process.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'

it('Traces with LINCHPIN_WORKERS have a span for each read, whichever process answers, in the trace of the proxy', async (t) => {
  const names: string[] = []
  const traceIds = new Set<string>()
  const collector = createServer(async (incoming, response) => {
    let text = ''
    for await (const chunk of incoming) text += chunk
    for (const span of JSON.parse(text).resourceSpans[0].scopeSpans[0].spans)
      if (span.name === 'GET /api/v1/user') names.push(span.name) && traceIds.add(span.traceId)
    response.end('{}')
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  t.after(() => collector.close().closeAllConnections())
  const LINCHPIN_TOKEN = generateAccessToken()
  const main = await startMain(t, {
    LINCHPIN_TOKEN,
    LINCHPIN_DATA_DIR: await createDataFolder(),
    LINCHPIN_WORKERS: '2',
    LINCHPIN_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
    LINCHPIN_EGRESS_ALLOW: 'telemetry=127.0.0.1',
    LINCHPIN_TRUST_PROXY: '127.0.0.1',
    LINCHPIN_OTLP_RATIO: '1',
  })
  const traceId = 'a'.repeat(32)
  const headers = {
    authorization: `Bearer ${LINCHPIN_TOKEN}`,
    traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
  }
  const agent = new Agent({ keepAlive: true })
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const [response] = await once(
        request(`${main.url}/api/v1/user`, { agent, headers }).end(),
        'response',
      )
      assert.equal(response.resume().statusCode, 200)
    }),
  )
  agent.destroy()
  assert.equal((await main.stop()).code, 0)
  assert.deepEqual([names.length, [...traceIds]], [40, [traceId]])
})
