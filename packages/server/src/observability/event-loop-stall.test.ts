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

  const checkHealth = () => t.call('GET', '!/health/live', { token: null })

  it('accepts requests after repeated stalls of a second', async () => {
    for (let round = 0; round < 4; round += 1) await blockEventLoop(1_100)
    assert.equal((await checkHealth()).status, 200)
  })

  it('503 overloaded: the event loop was blocked for more than five seconds', async () => {
    for (let round = 0; round < 2; round += 1) await blockEventLoop(5_100)
    const { status, body } = await checkHealth()
    assert.deepEqual([status, body.error], [503, 'overloaded'])
  })
})

/** Blocks the event loop, then lets it run one iteration. */
async function blockEventLoop(ms: number): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  await turn()
}
