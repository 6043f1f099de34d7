import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type TestApp, testApp } from '../../../test/test-app.ts'

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
    const { status, body } = await blockUntilRejected(4)
    assert.deepEqual([status, body.error], [503, 'overloaded'])
    // A supervisor must not restart a process that is only busy.
    assert.equal((await get('/health/live')).status, 200)
  })

  /** One period of five seconds may end with short iterations of the loop in it, which lower its mean: the next cannot. */
  async function blockUntilRejected(maxRounds: number): ReturnType<typeof get> {
    await blockEventLoop(5_100)
    await blockEventLoop(5_100)
    const response = await get('/health/ready')
    return response.status === 503 || maxRounds <= 1 ? response : blockUntilRejected(maxRounds - 1)
  }
})

/** Blocks the event loop, then lets it pass its timers: a single `setImmediate` may run before them. */
async function blockEventLoop(ms: number): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  await turn()
  await turn()
}
