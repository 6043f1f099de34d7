import { Histogram } from 'prom-client'
import type { MetricDefinition } from './metric.ts'
import { describeMetric, METRICS, type MetricName } from './metric-table.ts'

/** Creates a histogram of the table, in no registry yet. */
export function createHistogram(name: MetricName): Histogram {
  const { buckets = [] }: MetricDefinition = METRICS[name]
  return new Histogram({ ...describeMetric(name), buckets: [...buckets], registers: [] })
}
