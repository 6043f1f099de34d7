import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findInconsistencies } from '../consistency-queries.ts'

/** What is wrong with a database. */
export interface Findings {
  /** IDs that it should have. */
  readonly lost: string[]
  readonly broken: string[]
}

/** Opens a database with these files, and searches it for the rows of these IDs, damage and halves of transactions. */
export async function inspectDatabase(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  ids: ReadonlySet<string>,
): Promise<Findings> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name))
  for (const [name, content] of files) await writeFile(path.join(folder, name), content)
  const database = new DatabaseSync(path.join(folder, 'linchpin.db'))
  try {
    const stored = new Set(
      database
        .prepare(STORED_IDS)
        .all()
        .map(({ id }) => String(id)),
    )
    return { lost: [...ids].filter((id) => !stored.has(id)), broken: listDamage(database) }
  } catch (error) {
    return { lost: [...ids], broken: [String(error)] }
  } finally {
    database.close()
  }
}

const STORED_IDS = 'SELECT link_id AS id FROM links UNION ALL SELECT account_id FROM accounts'

function listDamage(database: DatabaseSync): string[] {
  const [check] = database.prepare('PRAGMA integrity_check').all()
  return [
    ...(check?.integrity_check === 'ok' ? [] : [JSON.stringify(check)]),
    ...findInconsistencies(database),
  ]
}
