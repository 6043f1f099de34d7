import { ALERTS } from '../../packages/server/src/app/observability/metrics/alert-table.ts'

const HEADER = '# Generated: npm run generate. Each alert has a section in docs/runbooks.md.\n'

/** deploy/prometheus/alerts.yaml. */
export function renderAlerts(): string {
  const rules = ALERTS.map(
    ({ name, expr, for: holds, severity, summary }) => `      - alert: ${name}
        expr: ${JSON.stringify(expr)}
        for: ${holds}
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
          runbook_url: docs/runbooks.md#${name.toLowerCase()}
`,
  )
  return `${HEADER}groups:\n  - name: linchpin\n    rules:\n${rules.join('')}`
}

/** For `promtool test rules`: each alert fires once, with its labels, for its own series, and not for healthy ones. */
export function renderAlertTests(): string {
  const tests = ALERTS.flatMap(({ name, severity, test }) => [
    renderTest(name, test.firing, { minute: test.minute, alert: { severity, ...test.labels } }),
    renderTest(name, test.healthy, { minute: test.minute }),
  ])
  return `${HEADER}rule_files: [alerts.yaml]\nevaluation_interval: 1m\ntests:\n${tests.join('')}`
}

/** @param alert the labels of the alert that fires besides its name; absent: none does */
function renderTest(
  name: string,
  series: Readonly<Record<string, string>>,
  {
    minute = 20,
    alert,
  }: { readonly minute: number | undefined; readonly alert?: Readonly<Record<string, string>> },
): string {
  const input = Object.entries(series).map(
    ([each, values]) =>
      `      - series: ${JSON.stringify(each)}\n        values: ${JSON.stringify(values)}\n`,
  )
  return `  - interval: 1m
    input_series:
${input.join('')}    promql_expr_test:
      - expr: ALERTS{alertname="${name}", alertstate="firing"}
        eval_time: ${minute}m
        exp_samples:${alert === undefined ? ' []\n' : renderSample({ alertname: name, alertstate: 'firing', ...alert })}`
}

function renderSample(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
  return `
          - value: 1
            labels: ${JSON.stringify(`ALERTS{${pairs.join(', ')}}`)}
`
}
