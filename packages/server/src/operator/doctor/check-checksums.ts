import { isAccountDamaged } from '../../accounts/account-damage-store.ts'
import { isTokenDamaged } from '../../auth/access-token-store.ts'
import { CONNECT_SESSION_CHECKSUM } from '../../connect-sessions/connect-session-row-store.ts'
import { isVersionDamaged } from '../../definitions/visible-definitions-store.ts'
import { isLinkDamaged } from '../../links/link-row-store.ts'
import { OAUTH_APP_CHECKSUM } from '../../oauth-apps/oauth-app-row-store.ts'
import type { SealedRow } from '../../vault/sealed-columns.ts'
import { ENDPOINT_CHECKSUM } from '../../webhooks/webhook-endpoint-row-store.ts'
import type { Report } from './finding.ts'

/** Compares rows that have a checksum with it. */
export function checkChecksums(table: string, row: SealedRow, report: Report): void {
  // An older schema has no checksums.
  if (!isChecked(table) || (row.row_checksum === undefined && table !== 'accounts')) return
  const { isDamaged, id, remedy } = CHECKED_TABLES[table]
  if (!isDamaged(row as never)) return
  report({
    ...{ check: 'rows', subject: `${table}/${id.map((column) => String(row[column])).join('/')}` },
    problem: 'It has changed since it was written, so it is refused.',
    remedy,
  })
}

function isChecked(table: string): table is keyof typeof CHECKED_TABLES {
  return Object.hasOwn(CHECKED_TABLES, table)
}

interface CheckedTable {
  /** Takes a row of the table. */
  readonly isDamaged: (row: never) => boolean
  readonly id: readonly string[]
  readonly remedy: string
}

const CHECKED_TABLES = {
  accounts: {
    isDamaged: isAccountDamaged,
    id: ['account_id'],
    remedy:
      'Restore a backup, or set response_json to null with a program for the database, if its columns are as they should be.',
  },
  tokens: {
    isDamaged: isTokenDamaged,
    id: ['token_id'],
    remedy:
      'Restore a backup, or create another token and revoke this one: `linchpin token --revoke ID`.',
  },
  links: {
    isDamaged: isLinkDamaged,
    id: ['link_id'],
    remedy:
      'Restore a backup, or create another link, and set revoked_at of this one with a program for the database.',
  },
  definitions: { isDamaged: isVersionDamaged, id: ['definition_id'], remedy: 'Restore a backup.' },
  definition_pins: {
    isDamaged: isVersionDamaged,
    id: ['definition_id', 'workspace_id'],
    remedy: 'Restore a backup.',
  },
  kept_versions: {
    isDamaged: isVersionDamaged,
    id: ['definition_id', 'workspace_id', 'position'],
    remedy: 'Restore a backup, or delete this previous version with a program for the database.',
  },
  webhook_endpoints: {
    isDamaged: ENDPOINT_CHECKSUM.isDamaged,
    id: ['endpoint_id'],
    remedy:
      'Restore a backup, or create another endpoint, and set deleted_at of this one with a program for the database.',
  },
  oauth_apps: {
    isDamaged: OAUTH_APP_CHECKSUM.isDamaged,
    id: ['oauth_app_id'],
    remedy: 'Restore a backup.',
  },
  connect_sessions: {
    isDamaged: CONNECT_SESSION_CHECKSUM.isDamaged,
    id: ['connect_session_id'],
    remedy: 'Restore a backup, or delete this session with a program for the database.',
  },
} satisfies Record<string, CheckedTable>
