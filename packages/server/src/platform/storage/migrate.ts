import type { Kysely } from 'kysely'
import * as initial from '../../../migrations/0001-initial.ts'
import * as oauth from '../../../migrations/0002-oauth.ts'
import * as links from '../../../migrations/0003-links.ts'
import * as catalogue from '../../../migrations/0004-catalogue.ts'
import * as tokenLife from '../../../migrations/0005-token-life.ts'
import * as rotations from '../../../migrations/0006-rotations.ts'
import * as secretEndpoints from '../../../migrations/0007-secret-endpoints.ts'
import * as writeScopes from '../../../migrations/0008-write-scopes.ts'
import * as tokenLeases from '../../../migrations/0009-token-leases.ts'
import * as revocationClaims from '../../../migrations/0010-revocation-claims.ts'
import * as instanceKeys from '../../../migrations/0011-instance-keys.ts'
import * as listIndexes from '../../../migrations/0012-list-indexes.ts'
import * as accountResponses from '../../../migrations/0013-account-responses.ts'
import * as backgroundIndexes from '../../../migrations/0014-background-indexes.ts'
import * as grantIndexes from '../../../migrations/0015-grant-indexes.ts'
import * as accountTokens from '../../../migrations/0016-account-tokens.ts'
import * as events from '../../../migrations/0017-events.ts'
import * as webhooks from '../../../migrations/0018-webhooks.ts'
import * as audit from '../../../migrations/0019-audit.ts'
import * as idempotencyKeys from '../../../migrations/0020-idempotency-keys.ts'
import * as erasure from '../../../migrations/0021-erasure.ts'
import * as backgroundEvents from '../../../migrations/0022-background-events.ts'
import * as rates from '../../../migrations/0023-rates.ts'
import * as deliveryListIndex from '../../../migrations/0024-delivery-list-index.ts'
import * as unfinishedReplays from '../../../migrations/0025-unfinished-replays.ts'
import * as linkDefinitions from '../../../migrations/0026-link-definitions.ts'
import * as deletionPasses from '../../../migrations/0027-deletion-passes.ts'
import * as definitionIcons from '../../../migrations/0028-definition-icons.ts'
import * as connectSessions from '../../../migrations/0029-connect-sessions.ts'
import * as accountTags from '../../../migrations/0030-account-tags.ts'
import * as accountUse from '../../../migrations/0031-account-use.ts'
import * as connectAttempts from '../../../migrations/0032-connect-attempts.ts'
import * as sessionsWithoutLink from '../../../migrations/0033-sessions-without-link.ts'
import * as providerRequestIds from '../../../migrations/0034-provider-request-ids.ts'
import * as accountBoundTokens from '../../../migrations/0036-account-bound-tokens.ts'
import * as linkAliases from '../../../migrations/0037-link-aliases.ts'
import * as tokenHosts from '../../../migrations/0038-token-hosts.ts'
import * as schemaReaders from '../../../migrations/0040-schema-readers.ts'
import * as dataKeyNumbers from '../../../migrations/0044-data-key-numbers.ts'
import * as tokenChecksums from '../../../migrations/0045-token-checksums.ts'
import * as contentChecksums from '../../../migrations/0046-content-checksums.ts'
import * as settingChecksums from '../../../migrations/0047-setting-checksums.ts'
import * as drains from '../../../migrations/0048-drains.ts'
import * as removals from '../../../migrations/0049-removals.ts'
import { applyMigrations, createSchema } from './migrations/apply-migration.ts'
import { planMigrations } from './migrations/plan-migrations.ts'
import type { SchemaMigrations } from './migrations/schema-migration.ts'
import type { Tables } from './tables.ts'

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

/** Every migration, oldest first. Released migrations never change. */
export const MIGRATIONS: SchemaMigrations = {
  '0001-initial': initial,
  '0002-oauth': oauth,
  '0003-links': links,
  '0004-catalogue': catalogue,
  '0005-token-life': tokenLife,
  '0006-rotations': rotations,
  '0007-secret-endpoints': secretEndpoints,
  '0008-write-scopes': writeScopes,
  '0009-token-leases': tokenLeases,
  '0010-revocation-claims': revocationClaims,
  '0011-instance-keys': instanceKeys,
  '0012-list-indexes': listIndexes,
  '0013-account-responses': accountResponses,
  '0014-background-indexes': backgroundIndexes,
  '0015-grant-indexes': grantIndexes,
  '0016-account-tokens': accountTokens,
  '0017-events': events,
  '0018-webhooks': webhooks,
  '0019-audit': audit,
  '0020-idempotency-keys': idempotencyKeys,
  '0021-erasure': erasure,
  '0022-background-events': backgroundEvents,
  '0023-rates': rates,
  '0024-delivery-list-index': deliveryListIndex,
  '0025-unfinished-replays': unfinishedReplays,
  '0026-link-definitions': linkDefinitions,
  '0027-deletion-passes': deletionPasses,
  '0028-definition-icons': definitionIcons,
  '0029-connect-sessions': connectSessions,
  '0030-account-tags': accountTags,
  '0031-account-use': accountUse,
  '0032-connect-attempts': connectAttempts,
  '0033-sessions-without-link': sessionsWithoutLink,
  '0034-provider-request-ids': providerRequestIds,
  '0036-account-bound-tokens': accountBoundTokens,
  '0037-link-aliases': linkAliases,
  '0038-token-hosts': tokenHosts,
  '0040-schema-readers': schemaReaders,
  '0044-data-key-numbers': dataKeyNumbers,
  '0045-token-checksums': tokenChecksums,
  '0046-content-checksums': contentChecksums,
  '0047-setting-checksums': settingChecksums,
  '0048-drains': drains,
  '0049-removals': removals,
}

/** The names of the migrations of this version, in order. */
export function listMigrationNames(): string[] {
  return Object.keys(MIGRATIONS).sort()
}
