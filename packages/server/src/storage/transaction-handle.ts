import type { Kysely } from 'kysely'
import { createKysely, type RunQuery } from './create-kysely.ts'
import type { Tables } from './tables.ts'

/** What one piece of work may do inside its transaction, and whether it went well. */
export interface TransactionHandle {
  readonly trx: Kysely<Tables>
  /** Ends the handle. @throws the first failure of a statement, even if the work has caught it */
  finish(): void
}

/**
 * A handle for one transaction. After a statement has failed, or after `finish`, every statement is
 * refused: alike on both databases, and no forgotten promise writes into a stranger's transaction.
 */
export function openTransactionHandle(
  dialect: 'sqlite' | 'postgres',
  run: RunQuery,
): TransactionHandle {
  let isFinished = false
  let failure: { error: unknown } | undefined
  let last: Promise<unknown> | undefined
  const runNext: RunQuery = async (query) => {
    if (isFinished) throw new Error('This transaction is over')
    if (failure !== undefined) throw failure.error
    try {
      return await run(query)
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  return {
    // One connection runs one statement at a time, also where the work starts several at once.
    trx: createKysely(dialect, (query) => {
      const next = () => runNext(query)
      const result = last === undefined ? next() : last.then(next, next)
      last = result
      return result
    }),
    finish: () => {
      isFinished = true
      if (failure !== undefined) throw failure.error
    },
  }
}
