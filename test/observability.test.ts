import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ALERTS } from '../packages/server/src/app/observability/metrics/alert-table.ts'
import {
  METRICS,
  type MetricDefinition,
} from '../packages/server/src/app/observability/metrics/metric-table.ts'

import { createWorkMetrics } from '../packages/server/src/app/observability/metrics/work-metrics.ts'
import { type TestApp, testApp } from '../packages/server/test/test-app.ts'
import { ROWS } from '../scripts/generate/dashboard-panels.ts'

const ROOT = path.join(import.meta.dirname, '..')
const NAMES: readonly string[] = Object.keys(METRICS)

const EXPRESSIONS: readonly string[] = [
  ...ALERTS.map(({ expr }) => expr),
  ...ROWS.flatMap(({ panels }) => panels.flatMap(({ lines }) => lines.map(([expr]) => expr))),
]

describe('The tables of metrics and alerts', () => {
  it('refer only to metrics that exist, in alerts and in the dashboard', () => {
    const used = EXPRESSIONS.flatMap((expr) => expr.match(/linchpin_\w+/g) ?? [])
    const unknown = used.filter((name) => !NAMES.includes(name.replace(/_(?:count|bucket)$/, '')))
    assert.ok(used.length > 40)
    assert.deepEqual(unknown, [])
  })

  it('have no label that Prometheus sets itself: it would rename ours', () => {
    const metrics: readonly MetricDefinition[] = Object.values(METRICS)
    const labels = metrics.flatMap(({ labels = {} }) => Object.keys(labels))
    assert.deepEqual(
      labels.filter((label) => ['job', 'instance', 'le', 'quantile'].includes(label)),
      [],
    )
  })

  it('select by labels that the metrics have', () => {
    for (const [, metric = '', matchers = ''] of EXPRESSIONS.join('\n').matchAll(
      /(linchpin_\w+?)(?:_count|_bucket)?\{([^}]*)\}/g,
    )) {
      const { labels = {} }: MetricDefinition = METRICS[metric as keyof typeof METRICS]
      for (const [, label = ''] of matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"/g))
        assert.ok(label in labels, `${metric}{${matchers}}`)
    }
  })

  it('show every metric of a failure in an alert or the dashboard', () => {
    const text = JSON.stringify([ALERTS, ROWS])
    const shown = NAMES.filter((name) => text.includes(name))
    assert.ok(shown.length >= 25, `${shown.length} of ${NAMES.length}`)
  })

  it('have alerts that promtool accepts, each of which fires once for its series, with its labels, and not for healthy ones', () => {
    const run = (...args: string[]) =>
      execFileSync('promtool', args, {
        cwd: path.join(ROOT, 'deploy/prometheus'),
        encoding: 'utf8',
      })
    assert.match(run('check', 'rules', 'alerts.yaml'), new RegExp(`${ALERTS.length} rules found`))
    assert.match(run('test', 'rules', 'alerts.test.yaml'), /SUCCESS/)
  })
})

describe('GET /metrics', () => {
  let t: TestApp
  before(async () => {
    const workMetrics = createWorkMetrics(Date.now)
    t = await testApp({ workMetrics })
    await workMetrics.observeJob('rotations', async () => undefined)()
  })
  after(() => t.close())

  it('has exactly the metrics of the table, with their types, and promtool has nothing to say about them', async () => {
    const { text } = await t.call('GET', '!/metrics', { token: null })
    const types = [...text.matchAll(/^# TYPE (linchpin_\w+) (\w+)$/gm)].map(
      ([, name = '', type]) => [name, type] as const,
    )
    assert.deepEqual(
      Object.fromEntries(types.toSorted()),
      Object.fromEntries(
        Object.entries(METRICS)
          .map(([name, { type }]) => [name, type])
          .toSorted(),
      ),
    )
    const own = text.split('\n').filter((line) => /^(?:# \w+ )?linchpin_/.test(line))
    const result = execFileSync('promtool', ['check', 'metrics'], { input: `${own.join('\n')}\n` })
    assert.equal(String(result), '')
  })

  it('names version, key, readiness, and the size of the database', async () => {
    const { text } = await t.call('GET', '!/metrics', { token: null })
    assert.match(
      text,
      /^linchpin_build_info\{version="\d+\.\d+\.\d+",commit="(?:[\da-f]{40}|unknown)",node="\d+\.\d+\.\d+"\} 1$/m,
    )
    assert.match(text, /^linchpin_encryption_key_info\{key_id="test"\} 1$/m)
    assert.match(text, /^linchpin_ready 1$/m)
    assert.match(text, /^linchpin_database_size_bytes [1-9]\d{4,}$/m)
    assert.match(text, /^linchpin_database_free_bytes [1-9]\d{4,}$/m)
  })
})
