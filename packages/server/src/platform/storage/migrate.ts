import { type Kysely, sql } from 'kysely'
import * as initial from '../../../migrations/0001-initial.ts'
import * as consoleTables from '../../../migrations/0002-console.ts'
import * as accountCounts from '../../../migrations/0003-account-counts.ts'
import * as consoleLists from '../../../migrations/0003-console-lists.ts'
import * as accountSearch from '../../../migrations/0004-account-search.ts'
import * as members from '../../../migrations/0005-members.ts'
import * as passkeys from '../../../migrations/0006-passkeys.ts'
import * as accountHealth from '../../../migrations/0007-account-health.ts'
import * as requestLog from '../../../migrations/0008-request-log.ts'
import * as bulkJobs from '../../../migrations/0009-bulk-jobs.ts'
import * as verifiedEmails from '../../../migrations/0011-verified-emails.ts'
import * as debugWindows from '../../../migrations/0012-debug-windows.ts'
import * as auditRequests from '../../../migrations/0014-audit-requests.ts'
import * as accountFacts from '../../../migrations/0016-account-facts.ts'
import * as redirectNames from '../../../migrations/0018-redirect-names.ts'
import * as auditInbox from '../../../migrations/0019-audit-inbox.ts'
import * as definitionEpochs from '../../../migrations/0020-definition-epochs.ts'
import * as epochsOfIcons from '../../../migrations/0020-epochs-of-icons.ts'
import * as epochsOfOAuthApps from '../../../migrations/0020-epochs-of-oauth-apps.ts'
import * as epochsOfPins from '../../../migrations/0020-epochs-of-pins.ts'
import * as accountsByOAuthApp from '../../../migrations/0021-accounts-by-oauth-app.ts'
import * as appsOfConnectSessions from '../../../migrations/0021-apps-of-connect-sessions.ts'
import * as appsOfLinks from '../../../migrations/0021-apps-of-links.ts'
import * as severalOAuthApps from '../../../migrations/0021-several-oauth-apps.ts'
import * as accountHealthRows from '../../../migrations/0022-account-health-rows.ts'
import * as definitionHealth from '../../../migrations/0022-definition-health.ts'
import * as statistics from '../../../migrations/0023-statistics.ts'
import * as permissions from '../../../migrations/0024-permissions.ts'
import * as scopesOfApps from '../../../migrations/0024-scopes-of-apps.ts'
import * as scopesOfLinks from '../../../migrations/0024-scopes-of-links.ts'
import * as scopesOfSessions from '../../../migrations/0024-scopes-of-sessions.ts'
import * as unreadScopes from '../../../migrations/0024-unread-scopes.ts'
import * as agentSessions from '../../../migrations/0025-agent-sessions.ts'
import * as successorsOfCustomersApps from '../../../migrations/0025-successors-of-customers-apps.ts'
import * as agentApprovals from '../../../migrations/0026-agent-approvals.ts'
import * as discoveredServers from '../../../migrations/0027-discovered-servers.ts'
import * as authorizationServer from '../../../migrations/0028-authorization-server.ts'
import * as clientsOfAgentSessions from '../../../migrations/0028-clients-of-agent-sessions.ts'
import * as clientsOfSignIns from '../../../migrations/0028-clients-of-sign-ins.ts'
import * as sessionsWithTokens from '../../../migrations/0028-sessions-with-tokens.ts'
import * as mcpTools from '../../../migrations/0029-mcp-tools.ts'
import * as agentAccess from '../../../migrations/0030-agent-access.ts'
import type { PendingMigration, SchemaMigration, SchemaMigrations } from './database.ts'
import { StorageVersionError } from './storage-error.ts'
import type { Tables } from './tables.ts'
import { assertImported } from './transfer/transfer-source.ts'

/**
 * Brings the schema up to date. `db` must be inside a transaction that holds the migration lock, so that
 * a crash leaves the schema unchanged. Returns the names of the migrations that ran.
 * @throws {StorageVersionError} when the database has migrations that this code does not know, or half of an import
 */
export async function migrate(db: Kysely<Tables>): Promise<string[]> {
  const { isNew, pending } = await planMigrations(db, MIGRATIONS)
  const names = pending.map(({ name }) => name)
  await (isNew ? createSchema : applyMigrations)(db, MIGRATIONS, names)
  return names
}

/** Every migration, oldest first. Migrations never change: a change of the schema is another one. */
export const MIGRATIONS: SchemaMigrations = {
  '0001-initial': initial,
  '0002-console': consoleTables,
  '0003-console-lists': consoleLists,
  '0003-account-counts': accountCounts,
  '0004-account-search': accountSearch,
  '0005-members': members,
  '0006-passkeys': passkeys,
  '0007-account-health': accountHealth,
  '0008-request-log': requestLog,
  '0009-bulk-jobs': bulkJobs,
  '0011-verified-emails': verifiedEmails,
  '0012-debug-windows': debugWindows,
  '0014-audit-requests': auditRequests,
  '0016-account-facts': accountFacts,
  '0018-redirect-names': redirectNames,
  '0019-audit-inbox': auditInbox,
  '0020-definition-epochs': definitionEpochs,
  '0020-epochs-of-icons': epochsOfIcons,
  '0020-epochs-of-oauth-apps': epochsOfOAuthApps,
  '0020-epochs-of-pins': epochsOfPins,
  '0021-accounts-by-oauth-app': accountsByOAuthApp,
  '0021-apps-of-connect-sessions': appsOfConnectSessions,
  '0021-apps-of-links': appsOfLinks,
  '0021-several-oauth-apps': severalOAuthApps,
  '0022-account-health-rows': accountHealthRows,
  '0022-definition-health': definitionHealth,
  '0023-statistics': statistics,
  '0024-permissions': permissions,
  '0024-scopes-of-apps': scopesOfApps,
  '0024-scopes-of-links': scopesOfLinks,
  '0024-scopes-of-sessions': scopesOfSessions,
  '0024-unread-scopes': unreadScopes,
  '0025-agent-sessions': agentSessions,
  '0025-successors-of-customers-apps': successorsOfCustomersApps,
  '0026-agent-approvals': agentApprovals,
  '0027-discovered-servers': discoveredServers,
  '0028-authorization-server': authorizationServer,
  '0028-clients-of-agent-sessions': clientsOfAgentSessions,
  '0028-clients-of-sign-ins': clientsOfSignIns,
  '0028-sessions-with-tokens': sessionsWithTokens,
  '0029-mcp-tools': mcpTools,
  '0030-agent-access': agentAccess,
}

/** The names of the migrations of this version, in order. */
export function listMigrationNames(): string[] {
  return Object.keys(MIGRATIONS).sort()
}

/** What is to be done to a database. */
export interface MigrationPlan {
  /** Whether the database has no schema, so that no node waits for it. */
  readonly isNew: boolean
  readonly pending: readonly PendingMigration[]
}

/** The table of the migrations that a database has. */
type MigrationTable = {
  kysely_migration: { name: string; timestamp: string; min_reader: string | null }
}

/** The last migration of commit 38d70a5c, the only earlier schema that `0001-initial` continues. */
export const LAST_OF_38D70A5C = '0048-drains'

/**
 * Compares a database with the migrations of this version. Nothing is pending if the database is newer and its migrations allow
 * nodes of this version.
 *
 * @throws {StorageVersionError} when they do not, when the database is older than commit 38d70a5c, or has half of an import
 */
export async function planMigrations(
  db: Kysely<Tables>,
  migrations: SchemaMigrations,
): Promise<MigrationPlan> {
  const rows = await readMigrationRows(db)
  const known = describeMigrations(migrations)
  if (rows.at(-1)?.name === LAST_OF_38D70A5C) return { isNew: false, pending: known }
  if (rows.some(isOfOlderSchema))
    throw new StorageVersionError(
      'The database was written by a version before commit 38d70a5c. Start the service of that commit with it once, then this version.',
    )
  const executed = new Set(rows.map((row) => row.name))
  const pending = known.filter(({ name }) => !executed.has(name))
  const unknown = rows.filter(({ name }) => !(name in migrations))
  const newest = known.at(-1)?.name ?? ''
  const tooNew = unknown.filter(({ min_reader }) => !isAtLeast(newest, min_reader))
  if (tooNew.length > 0 || (unknown.length > 0 && pending.length > 0))
    throw new StorageVersionError(
      `The database was written by a newer version of Linchpin (it has the migrations ${unknown.map(({ name }) => name).join(', ')}). Start that version, or restore a backup made by this one.`,
    )
  return { isNew: rows.length === 0, pending }
}

/** What is known of these migrations without running them, in order. */
export function describeMigrations(migrations: SchemaMigrations): PendingMigration[] {
  return Object.entries(migrations)
    .map(([name, { minReader, indexes = [] }]) => ({
      name,
      minReader,
      indexes: indexes.map((index) => index.name),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Before commit 38d70a5c, other migrations followed `0001-initial`, and the first ones had no `min_reader`. */
const isOfOlderSchema = (row: MigrationTable['kysely_migration']) =>
  row.name === '0002-oauth' || !('min_reader' in row)

const isAtLeast = (newest: string, minReader: string | null | undefined) =>
  typeof minReader === 'string' && minReader <= newest

async function readMigrationRows(db: Kysely<Tables>) {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  assertImported(tables.map((table) => table.name))
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  return db
    .withTables<MigrationTable>()
    .selectFrom('kysely_migration')
    .selectAll()
    .orderBy('name')
    .execute()
}

/**
 * Runs every migration on an empty database, in a transaction.
 *
 * @throws {StorageVersionError} if tables of another program are in the way
 */
export async function createSchema(
  trx: Kysely<Tables>,
  migrations: SchemaMigrations,
  names: readonly string[],
): Promise<void> {
  try {
    await applyMigrations(trx, migrations, names)
  } catch (error) {
    if (!(error instanceof Error && error.message.endsWith(' already exists'))) throw error
    throw new StorageVersionError(
      `The database belongs to another program (${error.message}). Linchpin needs one of its own, which is empty at first.`,
      { cause: error },
    )
  }
}

/** Runs every one of these migrations. `trx` must be a transaction, so that all of them are applied, or none. */
async function applyMigrations(
  trx: Kysely<Tables>,
  migrations: SchemaMigrations,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const migration = migrations[name]
    if (migration === undefined) continue
    for (const index of migration.indexes ?? [])
      await sql`create index ${sql.ref(index.name)} on ${sql.raw(index.on)}`.execute(trx)
    await applyMigration(trx, name, migration)
  }
}

/** Runs a migration without its indexes, and records that the database has it. */
export async function applyMigration(
  trx: Kysely<Tables>,
  name: string,
  migration: SchemaMigration,
): Promise<void> {
  await trx.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .addColumn('min_reader', 'varchar(255)')
    .execute()
  await migration.up(trx)
  await trx
    .withTables<MigrationTable>()
    .insertInto('kysely_migration')
    .values({
      name,
      timestamp: new Date().toISOString(),
      min_reader: migration.minReader ?? null,
    })
    .execute()
}
