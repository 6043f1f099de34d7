import { type Caller, requireScope } from '../../access/auth/caller.ts'
import {
  type Definition,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import {
  type BundleVersion,
  type DefinitionStore,
  findDefinitionUse,
} from '../../integrations/definitions/definition-store.ts'
import {
  serializeDefinition,
  serializeExtendedDefinition,
} from '../../integrations/definitions/schemas.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { VersionDigest, VersionStore } from './version-store.ts'

/** A version that a workspace changes to. */
export interface ChosenVersion extends BundleVersion {
  /** Whether a caller has changed the entry of the catalogue. */
  readonly isOverride?: boolean
}

export interface SetVersionDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly versions: VersionStore
  readonly now: () => number
}

/**
 * Changes the version of a definition in a workspace, unless it was changed since `row` was read. `beforeChange` runs
 * first in the same transaction. A workspace that changes to the version of all others is unpinned.
 *
 * @throws ApiError `concurrent_update`, and those of assertMayChangeCode
 */
export async function setVersion(
  deps: SetVersionDeps,
  caller: Caller,
  row: Definition,
  target: ChosenVersion,
  beforeChange: (trx: Transaction, now: number) => Promise<void>,
): Promise<void> {
  const now = deps.now()
  const { definitionId, workspaceId } = row
  await deps.database.transaction(
    async (trx) => {
      const current = await deps.definitions.findLive(trx, caller, workspaceId, definitionId)
      if (current === undefined || !isSameVersion(current, row))
        throw new ApiError(
          'concurrent_update',
          'The definition was modified by another request. Read it and try again.',
        )
      // Check again: accounts may have been created since the first check.
      await assertMayChangeCode(trx, caller, row, target, now)
      await beforeChange(trx, now)
      if (!isCatalogueDefinition(row)) return deps.versions.replace(trx, row, target, now)
      const unpinned = await deps.versions.findUnpinned(trx, definitionId)
      if (unpinned !== undefined && isSameVersion(unpinned, target))
        return deps.versions.unpin(trx, row)
      await deps.versions.pin(trx, row, target, now)
    },
    { serializable: true },
  )
}

function isSameVersion(first: VersionDigest, second: VersionDigest): boolean {
  return (
    first.version === second.version &&
    first.sourceUrl === second.sourceUrl &&
    first.bundleSha256 === second.bundleSha256
  )
}

/**
 * Throws unless the caller may choose the code of this definition: code that receives stored credentials or a client
 * secret can read them. Versions of the catalogue are exempt, because their bytes are known by digest, unless they are overridden.
 *
 * @throws ApiError `insufficient_scope` for a definition in use, without `credentials:read`
 */
export async function assertMayChangeCode(
  db: Transaction,
  caller: Caller,
  row: Definition,
  target: Pick<ChosenVersion, 'isOverride'>,
  now: number,
): Promise<void> {
  if (isCatalogueDefinition(row) && !target.isOverride) return
  const use = await findDefinitionUse(db, caller, row.definitionId, now)
  if (use !== undefined) requireScope(caller, 'credentials:read')
}

/** A version, and what is overridden in it. */
interface RecordedVersion extends BundleVersion {
  readonly overridden: readonly string[]
  /** How many accounts lack each scope, if that is reported. */
  readonly missingScopes?: Readonly<Record<string, number>>
}

/** Records in its transaction that a definition got another version. */
export async function recordVersionChange(
  deps: { readonly baseUrl: () => string },
  trx: Transaction,
  actor: Actor,
  now: number,
  type: Extract<
    EventType,
    'definition.upgraded' | 'definition.rolled_back' | 'definition.overridden'
  >,
  previous: Definition,
  { version, sourceUrl, bundleSha256, overridden, missingScopes }: RecordedVersion,
): Promise<void> {
  const { definitionId, workspaceId } = previous
  const versions = { from: previous.version, to: version }
  const current = { ...previous, version, sourceUrl, updatedAt: now }
  const definition = serializeDefinition(current, deps.baseUrl())
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    subject: definitionId,
    detail: { ...versions, sha256: bundleSha256, ...(overridden.length > 0 && { overridden }) },
    event: { type, subject: definitionId, data: { definition, ...versions } },
    response: {
      ...serializeExtendedDefinition(current, deps.baseUrl(), overridden),
      ...(missingScopes === undefined ? {} : { missingScopes }),
    },
  })
}
