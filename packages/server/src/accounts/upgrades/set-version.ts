import { type Caller, requireScope } from '../../access/auth/caller.ts'
import {
  type Definition,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionUse } from '../../integrations/definitions/definition-use-store.ts'
import type { BundleVersion } from '../../integrations/definitions/definition-version-store.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { VersionDigest, VersionStore } from './version-store.ts'

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
  target: BundleVersion,
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
      await assertMayChangeCode(trx, caller, row, now)
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
 * secret can read them. Catalogue versions are exempt, because their bytes are known by digest.
 *
 * @throws ApiError `insufficient_scope` for a custom definition in use, without `credentials:read`
 */
export async function assertMayChangeCode(
  db: Transaction,
  caller: Caller,
  row: Definition,
  now: number,
): Promise<void> {
  if (isCatalogueDefinition(row)) return
  const use = await findDefinitionUse(db, caller, row.definitionId, now)
  if (use !== undefined) requireScope(caller, 'credentials:read')
}
