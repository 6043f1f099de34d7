import type { Kysely } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../../access/users/user.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import type { Param } from '../../../platform/storage/prepared-query.ts'
import { splitIntoChunks } from '../../../platform/storage/split-into-chunks.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import type { Link, LinkId } from '../link.ts'

/** How often an event occurred at a link since the last flush. */
export interface LinkCount {
  readonly linkId: LinkId
  readonly name: string
  readonly count: number
}

interface ReadParams {
  readonly linkId: LinkId
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
}

/** Counters of links. */
export function createLinkCounterStore(database: Database) {
  const preparedRead = database.prepare((db, param: Param<ReadParams>) =>
    db
      .selectFrom('link_counters')
      .innerJoin('links', 'links.link_id', 'link_counters.link_id')
      .select(['link_counters.name as name', 'link_counters.count as count'])
      .where('link_counters.link_id', '=', param('linkId'))
      .where('links.workspace_id', '=', param('workspaceId'))
      .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
  )
  return {
    /** Adds to the stored counts. Skips links that do not exist. */
    async add(trx: Transaction, counts: readonly LinkCount[]): Promise<void> {
      const existing = await findExistingLinks(trx, [
        ...new Set(counts.map(({ linkId }) => linkId)),
      ])
      const rows = counts
        .filter(({ linkId }) => existing.has(linkId))
        .map(({ linkId, name, count }) => ({ link_id: linkId, name, count }))
        // Lock rows in one order: otherwise two nodes could deadlock.
        .sort((a, b) => compareStrings(a.link_id, b.link_id) || compareStrings(a.name, b.name))
      for (const batch of splitIntoChunks(rows))
        await trx
          .insertInto('link_counters')
          .values(batch)
          .onConflict((conflict) =>
            conflict.columns(['link_id', 'name']).doUpdateSet((eb) => ({
              count: eb('link_counters.count', '+', eb.ref('excluded.count')),
            })),
          )
          .execute()
    },

    /** Counts by name: `opened`, `attempted`, `connected`, `refused:<code>`. */
    async read(
      access: WorkspaceAccess,
      { linkId, workspaceId }: Pick<Link, 'linkId' | 'workspaceId'>,
    ): Promise<ReadonlyMap<string, number>> {
      if (!coversWorkspace(access, workspaceId)) return new Map()
      const rows = await preparedRead.all({ linkId, workspaceId, userId: access.userId })
      return new Map(rows.map(({ name, count }) => [name, count]))
    },
  }
}

export type LinkCounterStore = ReturnType<typeof createLinkCounterStore>

async function findExistingLinks(db: Kysely<Tables>, ids: readonly LinkId[]): Promise<Set<string>> {
  const existing = new Set<string>()
  for (const batch of splitIntoChunks(ids)) {
    const rows = await db
      .selectFrom('links')
      .select('link_id')
      .where('link_id', 'in', batch)
      .execute()
    for (const { link_id } of rows) existing.add(link_id)
  }
  return existing
}

function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
