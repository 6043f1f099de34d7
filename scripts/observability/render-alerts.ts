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
  const tests = ALERTS.flatMap(({ name, severity, test }) => [
    renderTest(name, test.firing, { severity }),
    renderTest(name, test.healthy, undefined),
  ])
  return `${HEADER}rule_files: [alerts.yaml]\nevaluation_interval: 1m\ntests:\n${tests.join('')}`
}

function renderTest(
  name: string,
  series: Readonly<Record<string, string>>,
  expected: { readonly severity: string } | undefined,
): string {
  const input = Object.entries(series).map(
    ([each, values]) =>
      `      - series: ${JSON.stringify(each)}\n        values: ${JSON.stringify(values)}\n`,
  )
  // Labels of a series that the expression keeps are labels of its alert.
  const condition = expected === undefined ? '0' : '1'
  return `  - interval: 1m
    input_series:
${input.join('')}    promql_expr_test:
      - expr: count(ALERTS{alertname="${name}", alertstate="firing"}) or vector(0)
        eval_time: ${EVALUATED_AT[name] ?? 20}m
        exp_samples:
          - value: ${condition}
            labels: '{}'
`
}

/** In minutes. Default: 20. */
const EVALUATED_AT: Readonly<Record<string, number>> = {
  LinchpinDown: 9,
  LinchpinNotReady: 9,
  LinchpinWalGrows: 30,
  LinchpinTokenRefreshesFail: 30,
  LinchpinTokenRefreshesUnanswered: 60,
  LinchpinTokenRefreshesLate: 30,
  LinchpinAccountsNeedReauth: 80,
  LinchpinConnectsFail: 50,
  LinchpinWebhooksFail: 50,
  LinchpinBackgroundJobFails: 80,
  LinchpinRegistryRefused: 20,
}
