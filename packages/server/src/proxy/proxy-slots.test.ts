import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_UNDER_WAY } from './proxy-slots.ts'
import { type ProxyWorld, startProxyWorld } from './test/proxy-world.ts'

describe('a workspace with as many requests through the proxy as it may have', () => {
  let w: ProxyWorld
  const waiting: ServerResponse[] = []
  before(async () => {
    w = await startProxyWorld()
    w.play((request, response) => {
      if (request.url === '/v2/slow') waiting.push(response)
      else response.end('{}')
    })
  })
  after(() => w.close())

  it('503 overloaded with Retry-After for one more, until one is answered or its caller is gone', async () => {
    const gone = w.open('slow')
    gone.on('error', () => {}).end()
    const slow = Array.from({ length: MAX_UNDER_WAY - 1 }, () => w.ask('slow'))
    await until(() => waiting.length === MAX_UNDER_WAY)
    const { status, headers, body } = await w.ask('fine')
    assert.deepEqual([status, JSON.parse(body.toString()).error], [503, 'overloaded'])
    assert.ok(Number(headers['retry-after']) >= 1)
    assert.equal((await w.ask('fine', { accountId: 'acc_unknown' })).status, 404)
    gone.destroy()
    await until(async () => (await w.ask('fine')).status === 200)
    for (const response of waiting) response.end('{}')
    for (const answer of await Promise.all(slow)) assert.equal(answer.status, 200)
    assert.equal((await w.ask('fine')).status, 200)
  })
})

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000 && !(await isDone()); tries += 1) await sleep(10)
  assert.ok(await isDone())
}
