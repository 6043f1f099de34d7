import { ALERTS } from '../../packages/server/src/observability/metrics/alert-table.ts'

const HEADER = '# Generated: npm run observability. Each alert has a section in docs/runbooks.md.\n'

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

/** For `promtool test rules`: each alert fires once, for its own series, and not for healthy ones. */
export function renderAlertTests(): string {
  const tests = ALERTS.flatMap(({ name, test }) => [
    renderTest(name, test.firing, { minute: test.minute, count: 1 }),
    renderTest(name, test.healthy, { minute: test.minute, count: 0 }),
  ])
  return `${HEADER}rule_files: [alerts.yaml]\nevaluation_interval: 1m\ntests:\n${tests.join('')}`
}

function renderTest(
  name: string,
  series: Readonly<Record<string, string>>,
  { minute = 20, count }: { readonly minute: number | undefined; readonly count: 0 | 1 },
): string {
  const input = Object.entries(series).map(
    ([each, values]) =>
      `      - series: ${JSON.stringify(each)}\n        values: ${JSON.stringify(values)}\n`,
  )
  return `  - interval: 1m
    input_series:
${input.join('')}    promql_expr_test:
      - expr: count(ALERTS{alertname="${name}", alertstate="firing"}) or vector(0)
        eval_time: ${minute}m
        exp_samples:
          - value: ${count}
            labels: '{}'
`
}
