import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseAllowList } from '../../src/index.ts'
import { createBundle, SMALL_LIMITS, startTestRunner, wrapInMain } from './harness.ts'

// Loops of the engine that never call its interrupt handler.
const NATIVE_LOOPS = {
  'a search in an endless array': 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
  'a join of four billion holes': 'new Array(2 ** 32 - 1).join("")',
  'a reverse of an endless array': 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
  'a loop of large copies':
    'const bytes = new Uint8Array(2e7); Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, bytes.copyWithin.bind(bytes, 1, 0))',
}

describe('a loop inside the engine', () => {
  let provider: Server
  let url: string
  let testRunner: ReturnType<typeof startTestRunner>
  before(async () => {
    provider = createServer((_request, response) => setTimeout(() => response.end('"late"'), 2_500))
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    const { port } = provider.address() as AddressInfo
    url = `http://127.0.0.1:${port}/`
    testRunner = startTestRunner({ allow: parseAllowList(`127.0.0.1:${port}`) })
    await testRunner.runner.ready()
  })
  after(async () => {
    await testRunner.stop()
    provider.close()
  })

  const run = (workspaceId: string, body: string, limits = {}) =>
    testRunner.runner.run({
      bundle: createBundle(wrapInMain(body)),
      tenant: { workspaceId },
      command: 'RUN',
      params: { url },
      limits,
    })

  for (const [name, expression] of Object.entries(NATIVE_LOOPS)) {
    it(`${name}: is stopped by the child alone, while the service is busy, and harms no call beside it`, async () => {
      // It has sent a POST, so it could not be retried.
      const innocent = run(
        'neighbour',
        'return (await fetch(params.url, { method: "POST" })).json()',
      )
      await sleep(300)
      const hostile = run(`hostile ${name}`, expression, SMALL_LIMITS)
      const outcome = assert.rejects(hostile, { code: 'integration_timeout' })
      await sleep(50)
      const busyUntil = performance.now() + 1_000
      while (performance.now() < busyUntil);
      await outcome
      assert.equal((await innocent).value, 'late')
      const { restarts, retries } = testRunner.runner.stats()
      assert.deepEqual({ restarts, retries }, { restarts: 0, retries: 0 })
    })
  }
})
