import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ProxyWorld, startProxyWorld } from './test/proxy-world.ts'

describe("a provider's own 500", () => {
  let w: ProxyWorld
  before(async () => {
    w = await startProxyWorld()
  })
  after(() => w.close())

  const counted = async (status: number) => {
    const { payload } = await w.app.inject('/metrics')
    return payload
      .split('\n')
      .filter((line) => /_count\{.*proxy\/\*/.test(line) && line.includes(`status="${status}"`))
  }

  it('is counted apart from failures of ours, and no error in the log', async () => {
    w.play((_request, response) => response.writeHead(500).end())
    assert.equal((await w.ask('x')).status, 500)
    w.play((request) => request.socket.destroy())
    assert.equal((await w.ask('x')).status, 502)
    const [theirs, ...more] = await counted(500)
    assert.match(theirs ?? '', /by="provider"\} 1$/)
    assert.deepEqual(more, [])
    const [ours] = await counted(502)
    assert.match(ours ?? '', /status="502"\} 1$/)
    const lines = w.logs.map((line) => JSON.parse(line)).filter(({ route }) => /proxy/.test(route))
    const levels = lines.map(({ status, level }) => `${status} ${level}`)
    assert.deepEqual(levels, ['500 info', '502 error'])
  })
})
