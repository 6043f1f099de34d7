import { isTokenDamaged } from '../../auth/access-token-store.ts'
import type { SealedRow } from '../../vault/sealed-columns.ts'
import type { Report } from './finding.ts'

/** Compares rows that have a checksum with it. */
export function checkChecksums(table: string, row: SealedRow, report: Report): void {
  // An older schema has no checksums.
  if (table !== 'tokens' || row.row_checksum === undefined) return
  if (!isTokenDamaged(row as unknown as Parameters<typeof isTokenDamaged>[0])) return
  report({
    ...{ check: 'rows', subject: `tokens/${String(row.token_id)}` },
    problem: 'It has changed since it was written, so it is refused.',
    remedy:
      'Restore a backup, or create another token, and set revoked_at of this one with a program for the database.',
  })
}
