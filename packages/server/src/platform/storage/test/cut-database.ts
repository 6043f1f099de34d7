import type { Database } from '../database.ts'

/** A database whose transactions fail after the first `limit` of them, as if the process had been killed. */
export function cutDatabase(database: Database, limit: number): Database {
  let count = 0
  return {
    ...database,
    transaction: (work, options) => {
      count += 1
      if (count > limit) throw new Error('interrupted')
      return database.transaction(work, options)
    },
  }
}
