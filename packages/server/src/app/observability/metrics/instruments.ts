import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { describeMetric, METRICS, type MetricDefinition, type MetricName } from './metric-table.ts'

/** A value with its labels. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

type Values = number | Iterable<LabelledValue> | undefined

/** Creates metrics of the table whose values are read when they are collected; undefined: there is none now. */
export interface Instruments {
  counter(name: MetricName, read: () => Values | Promise<Values>): void
  /**
   * Of both: a read that fails gives no value, and the other metrics remain. After 3 s, or while an earlier collection still reads,
   * this is the value that was read last.
   */
  gauge(name: MetricName, read: () => Values | Promise<Values>): void
}

/** Above the 2 s after which readiness gives up on the database, below the 10 s after which Prometheus gives up on `/metrics`. */
const MAX_READ_MS = 3_000

export function createInstruments(registry: Registry): Instruments {
  const registers = [registry]
  return {
    counter(name, read) {
      const { labelNames, ...metric } = describeMetric(name)
      const readInTime = boundRead(() => Promise.try(read).then(toList, () => []))
      new Counter({
        ...metric,
        labelNames,
        registers,
        async collect() {
          const values = await readInTime()
          this.reset()
          if (values.length === 0 && labelNames.length === 0) this.remove()
          for (const { labels, value } of values) this.inc(labels, value)
        },
      })
    },
    gauge(name, read) {
      const { labelNames, ...metric } = describeMetric(name)
      const readInTime = boundRead(() => Promise.try(read).then(toList, () => []))
      new Gauge({
        ...metric,
        labelNames,
        registers,
        async collect() {
          const values = await readInTime()
          this.reset()
          // Without labels, `reset` sets it to 0.
          if (values.length === 0 && labelNames.length === 0) this.remove()
          for (const { labels, value } of values) this.set(labels, value)
        },
      })
    },
  }
}

/** One read at a time: a database that does not respond would otherwise get one more with every collection. */
function boundRead(read: () => Promise<LabelledValue[]>): () => Promise<LabelledValue[]> {
  let latest: LabelledValue[] = []
  let reading: Promise<LabelledValue[]> | undefined
  return () => {
    reading ??= read()
      .then((values) => {
        latest = values
        return values
      })
      .finally(() => {
        reading = undefined
      })
    const { promise, resolve } = Promise.withResolvers<LabelledValue[]>()
    const timer = setTimeout(() => resolve(latest), MAX_READ_MS).unref()
    return Promise.race([reading, promise]).finally(() => clearTimeout(timer))
  }
}

function toList(values: Values): LabelledValue[] {
  if (values === undefined) return []
  return typeof values === 'number' ? [{ labels: {}, value: values }] : [...values]
}

/** Values by one label. */
export function byLabel(label: string, values: Readonly<Record<string, number>>): LabelledValue[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }))
}

/** Creates a histogram of the table, in no registry yet. */
export function createHistogram(name: MetricName): Histogram {
  const { buckets = [] }: MetricDefinition = METRICS[name]
  return new Histogram({ ...describeMetric(name), buckets: [...buckets], registers: [] })
}
