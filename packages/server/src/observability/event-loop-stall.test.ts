import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type TestApp, testApp } from '../../test/test-app.ts'

describe('A node with a blocked event loop', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const get = (path: string) => t.call('GET', `!${path}`, { token: null })

  it('accepts requests after repeated stalls of a second', async () => {
    for (let round = 0; round < 4; round += 1) await blockEventLoop(1_100)
    assert.equal((await get('/health/ready')).status, 200)
  })

  it('503 overloaded: the event loop was blocked for more than five seconds', async () => {
    for (let round = 0; round < 2; round += 1) await blockEventLoop(5_100)
    const { status, body } = await get('/health/ready')
    assert.deepEqual([status, body.error], [503, 'overloaded'])
    // A supervisor must not restart a process that is only busy.
    assert.equal((await get('/health/live')).status, 200)
  })
})

/** Blocks the event loop, then lets it run one iteration. */
async function blockEventLoop(ms: number): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  await turn()
}
