import {
  METRIC_THEMES,
  type MetricDefinition,
} from '../../packages/server/src/app/observability/metrics/metric-table.ts'

/** docs/metrics.md: how to read the metrics, and a list for each theme. */
export function renderMetrics(): string {
  const explained = new Set<string>()
  const themes = METRIC_THEMES.map(({ title, metrics }) => {
    const items = Object.entries(metrics).map(([name, metric]) =>
      renderItem(name, metric, explained),
    )
    return `## ${title}\n\n${items.join('\n')}\n`
  })
  return `${INTRODUCTION}\n${themes.join('\n')}`
}

/** @param explained the labels that the document has explained before, which grows */
function renderItem(
  name: string,
  { help, labels = {} }: MetricDefinition,
  explained: Set<string>,
): string {
  const items = Object.entries(labels).map(([label, values]) => {
    const text = `\`${label}\`: ${values}`
    if (explained.has(text)) return `\`${label}\``
    explained.add(text)
    return text
  })
  return `- \`${name}\`: ${[help, items.join('; ')].filter((text) => text !== '').join(' ')}`
}

const INTRODUCTION = `# Metrics

<!-- Generated: \`npm run generate\`. Change packages/server/src/app/observability/metrics/ instead. -->

\`GET /metrics\` returns Prometheus text to [those who may read it](operating.md#metrics).
[deploy/prometheus/alerts.yaml](../deploy/prometheus/alerts.yaml) has the alerts, each with a section in [runbooks.md](runbooks.md), and
[deploy/grafana/linchpin.json](../deploy/grafana/linchpin.json) is a dashboard.

\`\`\`yaml
# prometheus.yml. The alerts expect the job to be called linchpin.
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: linchpin
    authorization: { credentials_file: /etc/prometheus/linchpin-metrics-token }
    static_configs: [{ targets: ['10.0.0.5:3000', '10.0.0.6:3000'] }]
\`\`\`

The file has the value of \`LINCHPIN_METRICS_TOKEN\`.

A name that ends in \`_total\` is a counter, in \`_duration_seconds\` a histogram, both of one process since its start; all others are gauges. Accounts, endpoints, lags and overdue refreshes are of
all nodes. No label has a host, workspace or ID; a label is explained where it first occurs. \`process_…\` and \`nodejs_…\` have memory, CPU time, event loop and file handles.
`
