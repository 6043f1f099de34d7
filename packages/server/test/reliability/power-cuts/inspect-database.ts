import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findInconsistencies } from '../consistency-queries.ts'

/** What is wrong with a database. */
export interface Findings {
  /** What it should have stored. */
  readonly lost: string[]
  readonly broken: string[]
}

/**
 * Opens a database with these files, and searches it for what was acknowledged ("created", "renamed" or "deleted", and an ID),
 * damage and halves of transactions.
 */
export async function inspectDatabase(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  acknowledged: ReadonlySet<string>,
): Promise<Findings> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name))
  for (const [name, content] of files) await writeFile(path.join(folder, name), content)
  const database = new DatabaseSync(path.join(folder, 'linchpin.db'))
  try {
    const stored = new Set(
      database
        .prepare(STORED)
        .all()
        .map(({ fact }) => String(fact)),
    )
    return {
      lost: [...acknowledged].filter((fact) => !stored.has(fact)),
      broken: await listDamage(database),
    }
  } catch (error) {
    return { lost: [...acknowledged], broken: [String(error)] }
  } finally {
    database.close()
  }
}

/** The name that links get when they are renamed. */
export const NEW_NAME = 'Renamed'

const STORED = `
  SELECT 'created ' || link_id AS fact FROM links
  UNION ALL SELECT 'renamed ' || link_id FROM links WHERE name = '${NEW_NAME}'
  UNION ALL SELECT 'created ' || account_id FROM accounts
  UNION ALL SELECT 'deleted ' || account_id FROM accounts WHERE deleted_at IS NOT NULL`

async function listDamage(database: DatabaseSync): Promise<string[]> {
  const [check] = database.prepare('PRAGMA integrity_check').all()
  return [
    ...(check?.integrity_check === 'ok' ? [] : [JSON.stringify(check)]),
    ...(await findInconsistencies((sql) => database.prepare(sql).all())),
  ]
}
