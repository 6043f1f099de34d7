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

it('A gauge whose source fails has no value, and the other metrics remain', async () => {
  const registry = new Registry()
  const { gauge } = createInstruments(registry)
  let source = () => 1
  gauge('linchpin_ready', () => source())
  gauge('linchpin_event_lag_seconds', () => 2)
  assert.match(await registry.metrics(), /^linchpin_ready 1$/m)
  source = () => {
    throw new Error('no database')
  }
  const metrics = await registry.metrics()
  assert.doesNotMatch(metrics, /^linchpin_ready /m)
  assert.match(metrics, /^linchpin_event_lag_seconds 2$/m)
})
