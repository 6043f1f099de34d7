import { stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Database, DatabaseSize, ReadKind, Transaction } from './database.ts'
import { CATALOGUE_USER_ID } from './id.ts'
import { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/** A database as the drivers open it. */
export type OpenedDatabase = Omit<Database, 'hasSpace' | 'measureSize'>

/**
 * Adds `hasSpace`: after a write that failed because the disk is full, a small write finds out whether there is space again. A
 * small one may still fit into the log of SQLite when others do not, so the free space beside its file counts too.
 */
export function monitorSpace(database: OpenedDatabase, file?: string): Database {
  let isFull = false
  const transaction: Database['transaction'] = async (work, options) => {
    try {
      const result = await database.transaction(work, options)
      isFull = false
      return result
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'full') isFull = true
      throw error
    }
  }
  return {
    ...database,
    transaction,
    measureSize: file === undefined ? createSizeReader(database.read) : () => measureFile(file),
    async hasSpace() {
      if (isFull) await transaction(writeLittle).catch(() => {})
      return !isFull && (file === undefined || (await hasFreeSpace(file)))
    },
  }
}

/** Less than this is not enough for the next pages of the log. */
const MIN_FREE_BYTES = 256 * 1024

async function hasFreeSpace(file: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(path.dirname(path.resolve(file)))
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    // A file system that does not tell.
    return true
  }
}

/** Writes a row without changing it. Both databases write its page again. */
async function writeLittle(trx: Transaction): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('user_id', '=', CATALOGUE_USER_ID)
    .execute()
}

/** Measures the files of SQLite, which costs less than a millisecond. */
async function measureFile(file: string): Promise<DatabaseSize> {
  const [database, wal, disk] = await Promise.all([
    stat(file),
    stat(`${file}-wal`).catch(() => ({ size: 0 })),
    statfs(path.dirname(path.resolve(file))),
  ])
  return {
    databaseBytes: database.size,
    walBytes: wal.size,
    freeBytes: disk.bavail * disk.bsize,
  }
}

const MAX_AGE_MS = 60_000

/** Measures a database of PostgreSQL, which looks at each of its files, at most once a minute. */
function createSizeReader(read: Kysely<Tables>): () => Promise<DatabaseSize> {
  let measured: { readonly at: number; readonly size: Promise<DatabaseSize> } | undefined
  const measure = async () => {
    const query = sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`
    const { rows } = await query.execute(read)
    return { databaseBytes: Number(rows[0]?.bytes) }
  }
  return () => {
    if (measured === undefined || performance.now() - measured.at >= MAX_AGE_MS) {
      const size = measure()
      measured = { at: performance.now(), size }
      // The next collection tries again.
      size.catch(() => {
        measured = undefined
      })
    }
    return measured.size
  }
}

/** Tells listeners how long reads take. */
export function createReadMeasurement() {
  const listeners = createListeners<[kind: ReadKind, seconds: number]>()
  return {
    onRead: listeners.add,
    /** Whether it succeeds or fails. */
    async measure<T>(kind: ReadKind, read: () => Promise<T>): Promise<T> {
      const startedAt = performance.now()
      try {
        return await read()
      } finally {
        listeners.call(kind, (performance.now() - startedAt) / 1_000)
      }
    },
  }
}

export type ReadMeasurement = ReturnType<typeof createReadMeasurement>

/** A set of functions that are called together. */
export function createListeners<Args extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: Args) => void>()
  return {
    /** Returns a function that removes the listener. */
    add(listener: (...args: Args) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    call(...args: Args): void {
      for (const listener of listeners) listener(...args)
    },
  }
}
