import { listMigrationNames } from '../../../platform/storage/migrate.ts'
import type { Report } from './finding.ts'

/**
 * Compares the migrations of a database with those of this version.
 *
 * @returns whether they are the same, so that this version knows what its columns mean
 */
export function checkSchema(migrations: readonly string[], report: Report): boolean {
  const known = listMigrationNames()
  const missing = known.filter((name) => !migrations.includes(name))
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    report({
      check: 'schema',
      subject: 'database',
      problem: `A newer version of Linchpin has written it: ${unknown.join(', ')}.`,
      remedy: 'Run the doctor of that version.',
    })
  else if (missing.length > 0)
    report({
      check: 'schema',
      subject: 'database',
      problem: `Migrations are missing: ${missing.join(', ')}.`,
      remedy: 'Start the service, which migrates, or run the doctor of the version that uses it.',
    })
  return unknown.length === 0 && missing.length === 0
}
