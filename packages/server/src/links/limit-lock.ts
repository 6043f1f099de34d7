import { isConflict } from '../storage/to-storage-error.ts'
import type { Link } from './link.ts'

/** Runs `work`, a transaction that stores an account through a link; one at a time if the link limits its accounts. */
export type RunExclusive = <T>(link: Link | undefined, work: () => Promise<T>) => Promise<T>

/**
 * Creates a lock of this node for transactions that store accounts through limited links. The database alone enforces
 * the limits, across nodes. But serializable transactions that count accounts conflict with each other, on PostgreSQL
 * even those of other links, because it tracks reads by page: of fifty concurrent ones, some would exhaust their
 * retries although the link has room.
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

/** Transactions of other nodes can still conflict, so retry a few times. */
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

function isLimited({
  maxAccounts: max_accounts,
  maxAccountsPerIdentifier: max_accounts_per_identifier,
}: Link): boolean {
  return max_accounts !== null || max_accounts_per_identifier !== null
}
