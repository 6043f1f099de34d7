import { stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { DatabaseSize } from './database.ts'
import type { Tables } from './tables.ts'

/** Measures the files of SQLite, which costs less than a millisecond. */
export async function measureFile(file: string): Promise<DatabaseSize> {
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
export function createSizeReader(read: Kysely<Tables>): () => Promise<DatabaseSize> {
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
