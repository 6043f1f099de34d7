import { coversWorkspace, getTenant } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AuditEventRow } from '../../platform/storage/tables.ts'
import type { ChainedEntry } from './audit-entry.ts'
import { toChainedEntry } from './audit-row-store.ts'
import type { ReadableChain, SequenceWindow } from './audit-store.ts'

/** Reads chains for exports: many entries, without blocking the event loop or filling the cache of other reads. */
export function createAuditExportStore(database: Database) {
  const ofWorkspace = database.prepare<WorkspaceParams, AuditEventRow>((db, param) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('workspace_id', '=', param('workspaceId'))
      .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
      .where('sequence', '>=', param('first'))
      .where('sequence', '<=', param('last'))
      .orderBy('sequence')
      .limit(param('limit')),
  )
  const ofInstance = database.prepare<SequenceWindow, AuditEventRow>((db, param) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('workspace_id', 'is', null)
      .where('sequence', '>=', param('first'))
      .where('sequence', '<=', param('last'))
      .orderBy('sequence')
      .limit(param('limit')),
  )
  return {
    /** All entries of a window, in the order of the chain. */
    async readChain(
      { access, chainId }: ReadableChain,
      window: SequenceWindow,
    ): Promise<ChainedEntry[]> {
      if (chainId === null) return toEntries(await ofInstance.allAside(INSTANCE, window))
      if (!coversWorkspace(access, chainId)) return []
      const params = { ...window, workspaceId: chainId, userId: access.userId }
      return toEntries(await ofWorkspace.allAside(getTenant(access), params))
    },
  }
}

export type AuditExportStore = ReturnType<typeof createAuditExportStore>

interface WorkspaceParams extends SequenceWindow {
  readonly workspaceId: WorkspaceId
  readonly userId: string
}

/** The tenant of entries outside workspaces. */
const INSTANCE = 'instance'

function toEntries(rows: readonly AuditEventRow[]): ChainedEntry[] {
  return rows.map(toChainedEntry)
}
