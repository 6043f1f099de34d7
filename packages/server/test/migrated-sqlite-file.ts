import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../src/platform/storage/open-database.ts'

/** Writes a SQLite database with all migrations to a new file in the folder. */
export async function writeMigratedSqliteFile(folder: string): Promise<string> {
  template ??= createTemplate()
  const file = path.join(folder, 'linchpin.db')
  await writeFile(file, await template, { mode: 0o600 })
  return file
}

/** Migrations take a quarter of the time in which a service starts: the test files of a process share theirs. */
let template: Promise<Uint8Array> | undefined

async function createTemplate(): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-template-'))
  const file = path.join(folder, 'linchpin.db')
  const database = await openDatabase({ file })
  await database.migrate()
  await database.close()
  const bytes = await readFile(file)
  await rm(folder, { recursive: true })
  return bytes
}
