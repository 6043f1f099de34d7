import type { LinkRow } from '../../storage/tables.ts'
import { isConflict } from '../../storage/to-storage-error.ts'

/** Runs work, a transaction, for a link; where the link counts accounts, one after another. */
export type RunExclusive = <T>(link: LinkRow | undefined, work: () => Promise<T>) => Promise<T>

/**
 * Lets those who store through links with limits wait for each other on this node. The database alone keeps the limits,
 * across nodes. But serializable transactions that count accounts make each other fail, on PostgreSQL also those of
 * other links, since it notes what was read by pages: of fifty at once some would use up their tries while there is room.
 */
export function createLimitLock(): RunExclusive {
  let previous: Promise<unknown> = Promise.resolve()
  return (link, work) => {
    if (link === undefined || !isLimited(link)) return work()
    const current = previous.then(() => retryOnConflict(work))
    previous = current.catch(() => undefined)
    return current
  }
}

/** Other nodes have turns of their own: whoever lost against them goes on trying for a while. */
async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

const MAX_ATTEMPTS = 4

function isLimited({ max_accounts, max_accounts_per_identifier }: LinkRow): boolean {
  return max_accounts !== null || max_accounts_per_identifier !== null
}
