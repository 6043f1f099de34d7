import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { keepCounts, type MetricValues, sumMetrics } from './sum-metrics.ts'

describe('The metrics of several processes', () => {
  it('are added, by label', async () => {
    const processes = [
      await collect({ a: 1, b: 2 }, 3, [0.2]),
      await collect({ b: 5 }, 4, [0.2, 7]),
    ]
    const lines = (await sumMetrics(processes).metrics()).split('\n')
    for (const line of [
      'requests_total{route="a"} 1',
      'requests_total{route="b"} 7',
      'queued 7',
      'seconds_bucket{le="1"} 2',
      'seconds_count 3',
      'seconds_sum 7.4',
    ])
      assert.ok(lines.includes(line), line)
  })

  it('have the start time of the first process', async () => {
    const first = [{ ...(await getStartTime()), values: [{ value: 1, labels: {} }] }]
    const second = [{ ...(await getStartTime()), values: [{ value: 2, labels: {} }] }]
    assert.match(await sumMetrics([first, second]).metrics(), /^process_start_time_seconds 1$/m)
  })

  it('show a process that is blocked beside others that are not', async () => {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    const own = (await registry.getMetricsAsJSON()) as MetricValues
    const withLag = (value: number) =>
      own
        .filter(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')
        .map((metric) => ({ ...metric, values: [{ value, labels: {} }] }))
    const text = await sumMetrics([withLag(2), withLag(0.01), withLag(0.01)]).metrics()
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds 2$/m)
  })

  it('keep the counts of a process that has ended, not its amounts', async () => {
    const counts = await keepCounts([await collect({ a: 1 }, 3, [0.2]), []])
    const text = await sumMetrics([await collect({ a: 2 }, 4, []), counts]).metrics()
    for (const line of [/^requests_total{route="a"} 3$/m, /^queued 4$/m, /^seconds_count 1$/m])
      assert.match(text, line)
  })
})

async function collect(
  requests: Readonly<Record<string, number>>,
  queued: number,
  seconds: readonly number[],
): Promise<MetricValues> {
  const registry = new Registry()
  const registers = [registry]
  const counter = new Counter({
    name: 'requests_total',
    help: 'r',
    labelNames: ['route'],
    registers,
  })
  for (const [route, count] of Object.entries(requests)) counter.inc({ route }, count)
  new Gauge({ name: 'queued', help: 'q', registers }).set(queued)
  const histogram = new Histogram({ name: 'seconds', help: 's', buckets: [1], registers })
  for (const value of seconds) histogram.observe(value)
  // As it arrives from another process.
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()))
}

async function getStartTime(): Promise<MetricValues[number]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = await registry.getMetricsAsJSON()
  return (metrics.find(({ name }) => name === 'process_start_time_seconds') ??
    assert.fail('no start time')) as MetricValues[number]
}
