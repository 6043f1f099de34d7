import type { Caller } from '../caller/caller.ts'
import type { DefinitionStore } from '../definition/definition-store.ts'
import { isShared } from '../definition/definition-view-store.ts'
import { ApiError } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import { requireChoice } from './require-choice.ts'
import type { Code, VersionStore } from './version-store.ts'

export interface ChangeCodeDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly versions: VersionStore
  readonly now: () => number
}

/**
 * Has a workspace run other code of a definition, if it still runs what was read. `also` is part of the transaction and runs
 * before. A workspace that then runs what all others run is not pinned.
 *
 * @throws ApiError `concurrent_update`, and as requireChoice
 */
export async function changeCode(
  deps: ChangeCodeDeps,
  caller: Caller,
  row: DefinitionRow,
  code: Code,
  also: (trx: Transaction, now: number) => Promise<void>,
): Promise<void> {
  const now = deps.now()
  const { definition_id: definitionId, workspace_id: workspaceId } = row
  await deps.database.transaction(
    async (trx) => {
      const current = await deps.definitions.findLive(trx, caller, workspaceId, definitionId)
      if (current === undefined || !isSame(current, row))
        throw new ApiError(
          'concurrent_update',
          'The definition was changed by another request meanwhile. Read it and try again.',
        )
      // Accounts may have come since it was asked first.
      await requireChoice(trx, caller, row, now)
      await also(trx, now)
      if (!isShared(row)) return deps.versions.replace(trx, row, code, now)
      const shared = await deps.versions.shared(trx, definitionId)
      if (shared !== undefined && isSame(shared, code)) return deps.versions.unpin(trx, row)
      await deps.versions.pin(trx, row, code, now)
    },
    { serializable: true },
  )
}

function isSame(one: Code, other: Code): boolean {
  return (
    one.version === other.version &&
    one.source_url === other.source_url &&
    one.bundle_sha256 === other.bundle_sha256
  )
}
