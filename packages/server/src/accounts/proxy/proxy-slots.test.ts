import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_CONCURRENT_REQUESTS } from './proxy-request.ts'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

describe('GET /proxy/* for a workspace at its limit of concurrent requests', () => {
  let proxy: ProxyTestContext
  const waiting: ServerResponse[] = []
  before(async () => {
    proxy = await startProxyTestContext()
    proxy.setProviderHandler((request, response) => {
      if (request.url === '/v2/slow') waiting.push(response)
      else response.end('{}')
    })
  })
  after(() => proxy.close())

  it('503 overloaded with Retry-After, until a request finishes or its caller disconnects', async () => {
    const abandoned = proxy.openRequest('slow')
    abandoned.on('error', () => {}).end()
    const slow = Array.from({ length: MAX_CONCURRENT_REQUESTS - 1 }, () => proxy.send('slow'))
    await waitUntil(() => waiting.length === MAX_CONCURRENT_REQUESTS)
    const { status, headers, body } = await proxy.send('fine')
    assert.deepEqual([status, JSON.parse(body.toString()).error], [503, 'overloaded'])
    assert.ok(Number(headers['retry-after']) >= 1)
    assert.equal((await proxy.send('fine', { accountId: 'acc_unknown' })).status, 404)
    abandoned.destroy()
    await waitUntil(async () => (await proxy.send('fine')).status === 200)
    for (const response of waiting) response.end('{}')
    for (const response of await Promise.all(slow)) assert.equal(response.status, 200)
    assert.equal((await proxy.send('fine')).status, 200)
  })
})

async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; attempts < 2_000 && !(await condition()); attempts += 1) await sleep(10)
  assert.ok(await condition())
}
