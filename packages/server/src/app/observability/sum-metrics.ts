import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** The metrics of one process, as prom-client returns them as JSON. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[]

/**
 * The metrics of several processes as those of one: counters, histograms and amounts are added; of delays of the event loop
 * this is the mean, the least, or the greatest, as of percentiles; what cannot be added is that of the first process.
 */
export function sumMetrics(processes: readonly MetricValues[]) {
  return AggregatorRegistry.aggregate(
    processes.map((metrics) =>
      metrics.map((metric) => ({ ...metric, ...chooseAggregator(metric) })),
    ),
  )
}

/**
 * prom-client omits the start time of the process, and averages percentiles of the event loop's delay, which would hide one
 * process that is blocked.
 */
function chooseAggregator({
  name,
  aggregator,
}: {
  readonly name: string
  readonly aggregator?: string
}) {
  if (aggregator === 'omit') return { aggregator: 'first' as const }
  return /^nodejs_eventloop_lag_p\d+_seconds$/.test(name) ? { aggregator: 'max' as const } : {}
}

/** The counts of processes that have ended: without them a sum of counters would fall when a process ends. */
export async function keepCounts(processes: readonly MetricValues[]): Promise<MetricValues> {
  const metrics = (await sumMetrics(processes).getMetricsAsJSON()) as MetricValues
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
