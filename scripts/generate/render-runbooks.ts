import type { Alert } from '../../packages/server/src/app/observability/metrics/alert.ts'
import { ALERTS } from '../../packages/server/src/app/observability/metrics/alert-table.ts'

/** docs/runbooks.md: a section for each alert. */
export function renderRunbooks(): string {
  return `${INTRODUCTION}\n${ALERTS.map(renderSection).join('\n')}`
}

function renderSection({ name, summary, meaning, steps }: Alert): string {
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('\n')
  return `## ${name}

${summary} ${meaning}

${list}
`
}

const INTRODUCTION = `# Runbooks

<!-- Generated: \`npm run generate\`. Change packages/server/src/app/observability/metrics/ instead. -->

What to do when an alert of [deploy/prometheus/alerts.yaml](../deploy/prometheus/alerts.yaml) fires. The severity \`page\` wakes a person, since customers
notice or soon will; \`ticket\` waits for the next working day. "Lines" are those of the [log](operating.md#logs).
`
