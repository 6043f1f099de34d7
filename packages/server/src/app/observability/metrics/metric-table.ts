import { CONNECTION_METRICS } from './connection-table.ts'
import { HTTP_METRICS } from './http-table.ts'
import type { MetricDefinition } from './metric.ts'
import { RUNNER_METRICS } from './runner-table.ts'
import { STORAGE_METRICS } from './storage-table.ts'

/** Every metric of Linchpin by theme, in the order of docs/metrics.md. */
export const METRIC_THEMES = [
  { title: 'Requests', metrics: HTTP_METRICS },
  { title: 'Connections', metrics: CONNECTION_METRICS },
  { title: 'Sandbox and outgoing requests', metrics: RUNNER_METRICS },
  { title: 'Storage and background work', metrics: STORAGE_METRICS },
] as const

export const METRICS = {
  ...HTTP_METRICS,
  ...CONNECTION_METRICS,
  ...RUNNER_METRICS,
  ...STORAGE_METRICS,
}

export type MetricName = keyof typeof METRICS

/** What prom-client needs to create a metric of the table. */
export function describeMetric(name: MetricName) {
  const { help, labels = {} }: MetricDefinition = METRICS[name]
  return { name, help, labelNames: Object.keys(labels) }
}
