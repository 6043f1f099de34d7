import type { Kysely } from 'kysely'
import type { Reach } from '../../caller/caller.ts'
import type { Database } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { valueChunks } from '../../storage/value-chunks.ts'
import { reachable } from '../../workspace/workspace-store.ts'

/** How often something happened at a link since the last flush. */
export interface Count {
  readonly linkId: string
  readonly name: string
  readonly count: number
}

/** What was counted at links. */
export function createLinkCounterStore(database: Database) {
  return {
    /** Adds to what is there. Links that do not exist are left out. */
    async add(trx: Transaction, counts: readonly Count[]): Promise<void> {
      const known = await knownLinks(trx, [...new Set(counts.map(({ linkId }) => linkId))])
      const rows = counts
        .filter(({ linkId }) => known.has(linkId))
        .map(({ linkId, name, count }) => ({ link_id: linkId, name, count }))
        // Nodes that lock the same rows in the same order never wait for each other in a circle.
        .sort((a, b) => order(a.link_id, b.link_id) || order(a.name, b.name))
      for (const some of valueChunks(rows))
        await trx
          .insertInto('link_counters')
          .values(some)
          .onConflict((conflict) =>
            conflict.columns(['link_id', 'name']).doUpdateSet((eb) => ({
              count: eb('link_counters.count', '+', eb.ref('excluded.count')),
            })),
          )
          .execute()
    },

    /** By name: `opened`, `attempted`, `connected`, `refused:<code>`. */
    async read(reach: Reach, linkId: string): Promise<ReadonlyMap<string, number>> {
      const rows = await database.read
        .selectFrom('link_counters')
        .innerJoin('links', 'links.link_id', 'link_counters.link_id')
        .select(['link_counters.name as name', 'link_counters.count as count'])
        .where('link_counters.link_id', '=', linkId)
        .where('links.workspace_id', 'in', reachable(database.read, reach))
        .execute()
      return new Map(rows.map(({ name, count }) => [name, count]))
    },
  }
}

export type LinkCounterStore = ReturnType<typeof createLinkCounterStore>

async function knownLinks(db: Kysely<Tables>, ids: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (const some of valueChunks(ids)) {
    const rows = await db
      .selectFrom('links')
      .select('link_id')
      .where('link_id', 'in', some)
      .execute()
    for (const { link_id } of rows) known.add(link_id)
  }
  return known
}

function order(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
