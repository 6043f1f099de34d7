import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Registry } from 'prom-client'
import { createInstruments } from './instruments.ts'

it('A gauge whose source does not respond has its last value, and asks no second time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const registry = new Registry()
  const frozen = Promise.withResolvers<number>()
  const reads: (number | Promise<number>)[] = [1, frozen.promise, 3]
  createInstruments(registry).gauge('linchpin_ready', () => reads.shift() ?? 0)
  const collect = async (waitMs: number) => {
    const collected = registry.metrics()
    t.mock.timers.tick(waitMs)
    return /^linchpin_ready (\d)$/m.exec(await collected)?.[1]
  }
  assert.equal(await collect(0), '1')
  assert.equal(await collect(3_000), '1')
  assert.equal(await collect(3_000), '1')
  assert.equal(reads.length, 1)
  frozen.resolve(2)
  await new Promise(setImmediate)
  assert.equal(await collect(0), '3')
})
