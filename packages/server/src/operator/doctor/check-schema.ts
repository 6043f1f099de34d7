import { listMigrationNames } from '../../storage/migrate.ts'
import type { Report } from './finding.ts'

/** Compares the migrations of a database with those of this version. */
export function checkSchema(migrations: readonly string[], report: Report): void {
  const known = listMigrationNames()
  const missing = known.filter((name) => !migrations.includes(name))
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    report({
      ...{ check: 'schema', subject: 'database' },
      problem: `A newer version of Linchpin has written it: ${unknown.join(', ')}.`,
      remedy: 'Run the doctor of that version.',
    })
  else if (missing.length > 0)
    report({
      ...{ check: 'schema', subject: 'database' },
      problem: `${missing.length} migrations are missing, the first is ${missing[0]}.`,
      remedy: 'Start the service, which migrates, or run the doctor of the version that uses it.',
    })
}
