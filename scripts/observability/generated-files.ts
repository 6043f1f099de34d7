import { renderAlerts, renderAlertTests } from './render-alerts.ts'
import { renderDashboard } from './render-dashboard.ts'
import { renderInterface } from './render-endpoints.ts'
import { renderEvents } from './render-events.ts'
import { renderMetrics } from './render-metrics.ts'
import { renderRunbooks } from './render-runbooks.ts'
import { renderEnvExample, renderOperating } from './render-settings.ts'

/** What the tables of metrics, alerts, settings, types of events and operations generate: the content of each file, by its path in the repository. */
export function renderObservability(): Readonly<Record<string, string>> {
  return {
    'docs/metrics.md': renderMetrics(),
    'docs/runbooks.md': renderRunbooks(),
    'deploy/prometheus/alerts.yaml': renderAlerts(),
    'deploy/prometheus/alerts.test.yaml': renderAlertTests(),
    'deploy/grafana/linchpin.json': renderDashboard(),
    'docs/events.md': renderEvents(),
    'docs/interface.md': renderInterface(),
    'docs/operating.md': renderOperating(),
    '.env.example': renderEnvExample(),
  }
}
