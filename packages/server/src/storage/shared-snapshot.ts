import type { SqliteConnection } from './sqlite-connection.ts'

/** Makes the reads of one iteration of the event loop share a transaction. */
export interface SharedSnapshot {
  /** Must be called before each read. Returns the version of the data: another one after each commit, of any process. */
  enter(): number
  /** Must be called before each commit of this process: the next read must see it, and the log can be checkpointed. */
  leave(): void
}

/**
 * Without a transaction, every statement acquires and releases the locks of the log: a third of the cost of a small
 * read. Under load, one transaction serves all reads of one iteration. It ends with the iteration and before every
 * commit of this process, so clients read their own writes, and the log, which a read transaction prevents from
 * shrinking, stays short.
 */
export function createSharedSnapshot(reader: SqliteConnection): SharedSnapshot {
  let isOpen = false
  let dataVersion = 0
  const leave = () => {
    if (!isOpen) return
    isOpen = false
    if (reader.isInTransaction) reader.query('COMMIT', [])
  }
  return {
    enter() {
      if (isOpen) return dataVersion
      reader.query('BEGIN', [])
      isOpen = true
      setImmediate(leave)
      try {
        // Starts the read transaction as well, so the version is that of the snapshot.
        const row = reader.first('PRAGMA data_version', []) as { data_version: number }
        dataVersion = row.data_version
        return dataVersion
      } catch (error) {
        leave()
        throw error
      }
    },
    leave,
  }
}
