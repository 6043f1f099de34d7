import type { QueryResult } from 'kysely'
import { isStalePlan } from '../storage-error.ts'
import { beginTransaction, runQuery, takeConnection } from './postgres-pool.ts'
import { rollback, type TransactionPool } from './postgres-transaction.ts'
import { retryStalePlans } from './statements.ts'

/** Runs a read on a connection of the pool, again while its plan is stale. @throws {StorageError} */
export function runRead(
  on: TransactionPool,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<unknown>> {
  if (on.options.pooler) return readInTransaction(on, sql, parameters)
  return retryStalePlans(() => tryRead(on, sql, parameters))
}

async function tryRead(
  { pool, statements }: TransactionPool,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<unknown>> {
  const client = await takeConnection(pool)
  let isBroken = false
  try {
    return await statements.run(client, sql, parameters)
  } catch (error) {
    isBroken = !isStalePlan(error)
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** Behind a pooler only a transaction has limits, and refuses writes. Its statements have no names. */
async function readInTransaction(
  { pool, statements, options }: TransactionPool,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<unknown>> {
  const client = await takeConnection(pool)
  let isBroken = false
  try {
    await runQuery(client, { text: beginTransaction('READ ONLY', options) })
    const result = await statements.run(client, sql, parameters)
    await runQuery(client, { text: 'COMMIT' })
    return result
  } catch (error) {
    isBroken = await rollback(client, error)
    throw error
  } finally {
    client.release(isBroken)
  }
}
