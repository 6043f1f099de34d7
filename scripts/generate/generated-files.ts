import { renderCataloguePage } from '../../packages/catalogue/catalogue-table.ts'
import { ENTRY_SCHEMA } from '../../packages/kit/src/entry/entry-schema.ts'
import { testApp } from '../../packages/server/test/test-app.ts'
import { renderAlerts, renderAlertTests } from './render-alerts.ts'
import { renderDashboard } from './render-dashboard.ts'
import { renderEvents } from './render-events.ts'
import { renderGroups } from './render-groups.ts'
import { renderIcons } from './render-icons.ts'
import { renderInterface } from './render-interface.ts'
import { renderHostTexts, renderLanguages } from './render-languages.ts'
import { renderMetrics } from './render-metrics.ts'
import { renderOperationTable } from './render-operation-table.ts'
import { renderRunbooks } from './render-runbooks.ts'
import { renderEnvExample, renderOperating } from './render-settings.ts'
import { renderToolAliases } from './render-tool-aliases.ts'
import { renderTypes } from './render-types.ts'

/**
 * What is generated and checked in: the content of each file, by its path in the repository. The sources are the declarations
 * of metrics, alerts, settings, types of events, operations and languages, and the OpenAPI document that the service serves.
 */
export async function renderFiles(): Promise<Readonly<Record<string, string>>> {
  const t = await testApp()
  const { body: document } = await t.call('GET', '!/api/openapi.json', { token: null })
  await t.close()
  return {
    'packages/sdk/src/api-types.ts': renderTypes(document),
    'packages/sdk/src/api-groups.ts': renderGroups(document),
    'packages/cli/src/api/operation-table.ts': renderOperationTable(document),
    'packages/client/src/host-text-table.ts': renderHostTexts(),
    'packages/server/src/console/parts/icon-shapes.ts': renderIcons(),
    'packages/server/src/connect/connect-page/screens/tool-aliases.ts': await renderToolAliases(),
    'packages/catalogue/entry.schema.json': `${JSON.stringify(ENTRY_SCHEMA, undefined, 2)}\n`,
    'docs/catalogue.md': await renderCataloguePage(),
    'docs/connect-page.md': renderLanguages(),
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
