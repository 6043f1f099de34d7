import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

describe('a 500 from the provider', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext()
  })
  after(() => proxy.close())

  const metricLines = async (status: number) => {
    const { payload } = await proxy.app.inject('/metrics')
    return payload
      .split('\n')
      .filter((line) => /_count\{.*proxy\/\*/.test(line) && line.includes(`status="${status}"`))
  }

  it('is counted separately from our own failures and not logged as an error', async () => {
    proxy.setProviderHandler((_request, response) => response.writeHead(500).end())
    assert.equal((await proxy.send('x')).status, 500)
    proxy.setProviderHandler((request) => request.socket.destroy())
    assert.equal((await proxy.send('x')).status, 502)
    const [providerLine, ...more] = await metricLines(500)
    assert.match(providerLine ?? '', /by="provider"\} 1$/)
    assert.deepEqual(more, [])
    const [linchpinLine] = await metricLines(502)
    assert.match(linchpinLine ?? '', /status="502"\} 1$/)
    const lines = proxy.logs
      .map((line) => JSON.parse(line))
      .filter(({ route }) => /proxy/.test(route))
    const levels = lines.map(({ status, level }) => `${status} ${level}`)
    assert.deepEqual(levels, ['500 info', '502 error'])
  })
})
