import {
  METRIC_THEMES,
  type MetricDefinition,
} from '../../packages/server/src/app/observability/metrics/metric-table.ts'

/** docs/metrics.md: how to read the metrics, and a table for each theme. */
export function renderMetrics(): string {
  const themes = METRIC_THEMES.map(({ title, metrics }) => {
    const rows = Object.entries(metrics).map(([name, metric]) => renderRow(name, metric))
    return `## ${title}\n\n| metric | meaning |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `${INTRODUCTION}\n${themes.join('\n')}`
}

function renderRow(name: string, { help, labels = {} }: MetricDefinition): string {
  const described = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${values}`)
  const meaning = [help, ...described].join('<br>')
  return `| \`${name}\` | ${meaning} |`
}

const INTRODUCTION = `# Metrics

<!-- Generated: \`npm run observability\`. Change packages/server/src/app/observability/metrics/ instead. -->

\`GET /metrics\` returns Prometheus text. [operating.md](operating.md#metrics) tells who may read it.
[deploy/prometheus/alerts.yaml](../deploy/prometheus/alerts.yaml) has the alerts, each with a section in [runbooks.md](runbooks.md), and
[deploy/grafana/linchpin.json](../deploy/grafana/linchpin.json) is a dashboard.

\`\`\`yaml
# prometheus.yml. The alerts expect the job to be called linchpin.
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: linchpin
    authorization: { credentials_file: /etc/prometheus/linchpin-metrics-token }
    static_configs: [{ targets: ['10.0.0.5:3000', '10.0.0.6:3000'] }]
# Alertmanager tells people.
alerting:
  alertmanagers: [{ static_configs: [{ targets: ['localhost:9093'] }] }]
\`\`\`

The file of the token has the value of \`LINCHPIN_METRICS_TOKEN\`.

A name that ends in \`_total\` is a counter, in \`_duration_seconds\` a histogram; all others are gauges. Hosts, workspaces and IDs are in the log, never in a label. Counters count from
the start of the process. Besides these there are the usual \`process_…\` and \`nodejs_…\`
metrics: memory, CPU time, event loop, file handles.
`
