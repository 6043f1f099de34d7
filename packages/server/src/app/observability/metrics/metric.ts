/** What a metric is: the source of `/metrics`, docs/metrics.md, the dashboard and the alerts. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** One sentence, for `# HELP` and the table. */
  readonly help: string
  /** The meaning of the values of each label. Their number is bounded, and no tenant or visitor chooses them. */
  readonly labels?: Readonly<Record<string, string>>
  /** The upper bounds of a histogram, in the unit of its name. */
  readonly buckets?: readonly number[]
}

export type MetricDefinitions = Readonly<Record<`linchpin_${string}`, MetricDefinition>>
