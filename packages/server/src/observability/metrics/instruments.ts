import { Counter, Gauge, type Registry } from 'prom-client'
import { describeMetric, type MetricName } from './metric-table.ts'

/** A value with its labels. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

type Values = number | Iterable<LabelledValue> | undefined

/** Creates metrics of the table whose values are read when they are collected; undefined: there is none now. */
export interface Instruments {
  counter(name: MetricName, read: () => Values): void
  gauge(name: MetricName, read: () => Values | Promise<Values>): void
}

export function createInstruments(registry: Registry): Instruments {
  const registers = [registry]
  return {
    counter(name, read) {
      new Counter({
        ...{ ...describeMetric(name), registers },
        collect() {
          this.reset()
          for (const { labels, value } of toList(read())) this.inc(labels, value)
        },
      })
    },
    gauge(name, read) {
      const { labelNames, ...metric } = describeMetric(name)
      new Gauge({
        ...{ ...metric, labelNames, registers },
        async collect() {
          const values = toList(await read())
          this.reset()
          // Without labels, `reset` sets it to 0.
          if (values.length === 0 && labelNames.length === 0) this.remove()
          for (const { labels, value } of values) this.set(labels, value)
        },
      })
    },
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
