import { TOKEN_CHECKSUM } from '../../../access/auth/access-token-store.ts'
import { USER_CHECKSUM } from '../../../access/users/user-store.ts'
import { WORKSPACE_CHECKSUM } from '../../../access/workspaces/workspace-store.ts'
import { isAccountDamaged } from '../../../accounts/accounts/account-damage-store.ts'
import { ENDPOINT_CHECKSUM } from '../../../activity/webhooks/webhook-endpoint-row-store.ts'
import { CONNECT_SESSION_CHECKSUM } from '../../../connect/connect-sessions/connect-session-row-store.ts'
import { LINK_CHECKSUM } from '../../../connect/links/link-row-store.ts'
import { isVersionDamaged } from '../../../integrations/definitions/visible-definitions-store.ts'
import { OAUTH_APP_CHECKSUM } from '../../../integrations/oauth-apps/oauth-app-row-store.ts'
import type { ChecksumLocation } from '../../../platform/storage/row-checksum.ts'
import type { TransferTable } from '../../../platform/storage/transfer/transfer-source.ts'
import type { SealedRow } from '../../../platform/vault/sealed-columns.ts'
import type { Report } from './finding.ts'

/** The table, with the place of its checksums if this schema has them elsewhere. */
export function addChecksumLocation(
  table: TransferTable,
  tables: readonly TransferTable[],
): TransferTable {
  const checksum = findCheckedTable(table.name)?.location
  return checksum !== undefined && tables.some(({ name }) => name === checksum.storedIn)
    ? { ...table, checksum }
    : table
}

/** Compares rows that have a checksum with it. */
export function checkChecksums(table: string, row: SealedRow, report: Report): void {
  const checked = findCheckedTable(table)
  // An older schema has no checksums.
  if (checked === undefined || row[checked.checksum ?? 'row_checksum'] === undefined) return
  if (!checked.isDamaged(row as never)) return
  report({
    check: 'rows',
    subject: `${table}/${checked.id.map((column) => String(row[column])).join('/')}`,
    problem: 'It has changed since it was written, so it is refused.',
    remedy: checked.remedy,
  })
}

function findCheckedTable(table: string): CheckedTable | undefined {
  return Object.hasOwn(CHECKED_TABLES, table) ? CHECKED_TABLES[table] : undefined
}

interface CheckedTable {
  /** Takes a row of the table. */
  readonly isDamaged: (row: never) => boolean
  readonly id: readonly string[]
  readonly remedy: string
  /** Where the checksums are, if they are not in a column. */
  readonly location?: ChecksumLocation
  /** The column of the checksum, if it is not `row_checksum`. */
  readonly checksum?: string
}

const CHECKED_TABLES: Readonly<Record<string, CheckedTable>> = {
  accounts: {
    isDamaged: isAccountDamaged,
    id: ['account_id'],
    checksum: 'response_schema',
    remedy:
      'Restore a backup, or set response_json to null with a program for the database, if its columns are as they should be.',
  },
  users: { ...USER_CHECKSUM, id: ['user_id'], remedy: 'Restore a backup.' },
  workspaces: { ...WORKSPACE_CHECKSUM, id: ['workspace_id'], remedy: 'Restore a backup.' },
  tokens: {
    ...TOKEN_CHECKSUM,
    id: ['token_id'],
    remedy:
      'Restore a backup, or create another token and revoke this one: `linchpin token --revoke ID`.',
  },
  links: {
    ...LINK_CHECKSUM,
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
    ...ENDPOINT_CHECKSUM,
    id: ['endpoint_id'],
    remedy:
      'Restore a backup, or create another endpoint, and set deleted_at of this one with a program for the database.',
  },
  oauth_apps: { ...OAUTH_APP_CHECKSUM, id: ['oauth_app_id'], remedy: 'Restore a backup.' },
  connect_sessions: {
    ...CONNECT_SESSION_CHECKSUM,
    id: ['connect_session_id'],
    remedy: 'Restore a backup, or delete this session with a program for the database.',
  },
}
