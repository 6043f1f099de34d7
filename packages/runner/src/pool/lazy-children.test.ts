import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBundle, wrapInMain } from '../../test/hostile/harness.ts'
import { createEgressGateway, createRunner, type Runner } from '../index.ts'

describe('the number of runner children', () => {
  let runner: Runner
  const run = (workspaceId: string, body: string) =>
    runner.run({
      bundle: createBundle(wrapInMain(body)),
      tenant: { workspaceId },
      command: 'RUN',
      params: {},
    })
  before(async () => {
    runner = createRunner({
      egressGateway: createEgressGateway({ allow: [] }),
      maxQueuedMs: 60_000,
    })
    await runner.ready()
  })
  after(() => runner.close())

  it('is one while calls follow one another', async () => {
    for (let count = 0; count < 5; count++) await run('quiet', 'return 1')
    await sleep(500)
    assert.equal(runner.stats().children, 1)
  })

  it('grows while calls are queued', async () => {
    let isOver = false
    const busy = async (_: unknown, at: number) => {
      while (!isOver)
        await run(`busy ${at}`, 'const end = Date.now() + 60; while (Date.now() < end); return 1')
    }
    const callers = Array.from({ length: 4 }, busy)
    const deadline = performance.now() + 60_000
    while (runner.stats().children < 2 && performance.now() < deadline) await sleep(50)
    const { children } = runner.stats()
    isOver = true
    await Promise.all(callers)
    assert.ok(children >= 2)
  })
})
