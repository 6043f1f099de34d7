import type { Kysely } from 'kysely'
import { createKysely, type RunQuery } from './create-kysely.ts'
import type { Tables } from './tables.ts'

/** The database handle of one transaction, and its outcome. */
export interface TransactionHandle {
  readonly trx: Kysely<Tables>
  /** Invalidates the handle. @throws the first error of a statement, even if the work has caught it */
  finish(): void
}

/**
 * Opens a handle for one transaction. After a statement has failed, or after `finish`, every statement rejects,
 * on both databases, so that a promise that was not awaited cannot write into another transaction.
 */
export function openTransactionHandle(
  dialect: 'sqlite' | 'postgres',
  run: RunQuery,
): TransactionHandle {
  let isFinished = false
  let failure: { error: unknown } | undefined
  let last: Promise<unknown> | undefined
  const runNext: RunQuery = async (query) => {
    if (isFinished) throw new Error('This transaction has ended')
    if (failure !== undefined) throw failure.error
    try {
      return await run(query)
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  return {
    // A connection runs one statement at a time, even if the work starts several concurrently.
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
