import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { renderObservability } from './generated-files.ts'

// `npm run observability`: writes the documents, the alerts and the dashboard of the tables of metrics, alerts, settings, types
// of events and operations.
for (const [file, content] of Object.entries(renderObservability()))
  writeFileSync(path.join(import.meta.dirname, '../..', file), content)
