import { execFile } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { MAX_BYTES_AT_START } from '../database-file.ts'
import type { SqliteConnection } from '../sqlite-connection.ts'
import { StorageError } from '../storage-error.ts'

/** Tells whether a process has opened the database file and not closed it. */
export interface OpenMarker {
  /** Whether the structure has to be checked before anything is served. */
  readonly requiresCheck: boolean
  /** A check has found damage: each later start checks before it serves, until the file is replaced. */
  addDamage(): void
  /** The file is being closed. */
  remove(): void
}

/**
 * Marks the database file as open, by a file beside it. A file of at most 128 MiB that was not closed (its process was killed, or
 * the machine lost power) has to be checked first, which takes less than a second. A larger one is checked beside serving,
 * unless a check has already found damage: a start must not take longer the larger the database is.
 */
export function markAsOpen(file: string): OpenMarker {
  const marker = `${file}.open`
  const content = readMarker(marker)
  const isDamaged = content === DAMAGED
  try {
    closeSync(openSync(marker, 'a', 0o600))
  } catch {
    // The disk is full: reads must still work, and the next start checks the file while it serves.
  }
  return {
    requiresCheck:
      isDamaged || (content !== undefined && statSync(file).size <= MAX_BYTES_AT_START),
    addDamage: () => {
      try {
        writeFileSync(marker, DAMAGED, { mode: 0o600, flush: true })
      } catch {
        // The disk is full: the next start finds the damage in its own check.
      }
    },
    remove: () => rmSync(marker, { force: true }),
  }
}

const DAMAGED = 'damaged\n'

/** Undefined without marker: the file was closed, or is new. */
function readMarker(marker: string): string | undefined {
  try {
    return readFileSync(marker, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}

/** Checks the structure of the whole file, which reads all of it. @throws {StorageError} `corrupt` */
export function assertIntegrity(connection: SqliteConnection): void {
  const [row] = connection.query('PRAGMA quick_check(1)', []).rows as { quick_check: string }[]
  if (row?.quick_check !== 'ok') throw createCorruptError(row?.quick_check)
}

/**
 * Checks the structure of every table of the file, in a process of lowest priority.
 *
 * @throws {StorageError} `corrupt`
 * @throws the error of the process if it cannot run, or when `signal` aborts
 */
export async function checkFile(file: string, signal: AbortSignal): Promise<void> {
  const { child, output } = runProgram('./check-file.ts', file, { signal })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const result = await output
  if (result !== 'ok') throw createCorruptError(result)
}

/**
 * Writes a file of at most 64 MiB anew, in another process, so that its unused space has no copies of what was deleted:
 * `secure_delete` overwrites deleted rows, but not the copies that stay behind when SQLite rebuilds a page to move rows.
 * Writes wait meanwhile: some ten milliseconds for each MiB.
 *
 * @throws the error of the process if it cannot run, or takes more than ten seconds
 */
export async function rewriteFile(file: string): Promise<void> {
  if (statSync(file).size > MAX_BYTES_TO_REWRITE) return
  await runProgram('./rewrite-file.ts', file, { timeout: 10_000 }).output
}

const MAX_BYTES_TO_REWRITE = 64 * 2 ** 20

function runProgram(
  program: string,
  file: string,
  options: { readonly signal?: AbortSignal; readonly timeout?: number },
) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const args = ['--no-warnings', fileURLToPath(new URL(program, import.meta.url)), file]
  const child = execFile(
    process.execPath,
    args,
    { ...options, killSignal: 'SIGKILL' },
    (error, out) => (error === null ? resolve(out.trim()) : reject(error)),
  )
  return { child, output: promise }
}

function createCorruptError(reason: string | undefined): StorageError {
  return new StorageError('corrupt', `The database file is damaged: ${reason}`)
}
