import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generate, repeat } from '../costly-bodies.ts'
import { createServiceSetup, startService } from './service-process.ts'

const MB = 1_024 * 1_024
/** Less than a tenth of what each of these bodies took when it was parsed as a whole. */
const HEAP_MB = 128
const CONCURRENCY = 8
const ROUNDS = 6

describe('A service with a heap of 128 MB', () => {
  it('answers while large bodies of small values arrive concurrently, and continues', async (t) => {
    const setup = await createServiceSetup({ nodeArgs: [`--max-old-space-size=${HEAP_MB}`] })
    const service = await startService(setup)
    t.after(async () => {
      await service.kill()
      await setup.remove()
    })
    const account = `/api/v1/integration_account/int_acc_${'0'.repeat(26)}/proxy`
    const bodies = [
      [account, repeat('{"body":[', '{},', '1]}')(24 * MB)],
      [account, generate('{', (index) => `"${index.toString(36)}":{}`, '}')(24 * MB)],
      ['/api/v1/integration_definition', repeat('{"spec":[', '{},', '1]}')(6.6 * MB)],
      ['/api/v1/integration_definition', repeat('{"bundle":"x","spec":', '[', '')(6.6 * MB)],
    ] as const
    const attack = async ([path, body]: (typeof bodies)[number]): Promise<number> => {
      const headers = {
        authorization: `Bearer ${setup.token}`,
        'content-type': 'application/json',
      }
      const response = await fetch(service.url + path, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
      await response?.text()
      return response?.status ?? 0
    }
    const statuses = new Set<number>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = Array.from({ length: CONCURRENCY }, (_, index) =>
        attack(bodies[(round + index) % bodies.length] as (typeof bodies)[number]),
      )
      const health = await fetch(`${service.url}/health/live`)
      assert.equal(health.status, 200)
      for (const status of await Promise.all(answers)) statuses.add(status)
    }
    assert.equal(service.child.exitCode, null, service.recentOutput())
    assert.ok(statuses.has(400), [...statuses].join())
    // 0: the connection was closed, because the body was rejected before it had arrived.
    for (const status of statuses)
      assert.ok([0, 400, 404, 413, 429, 503].includes(status), `${status}`)
    assert.equal((await service.call('GET', '/v1/user')).status, 200)
  })
})
