import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import {
  DatabaseExistsError,
  restoreBackup,
  writeBackup,
} from '../../../platform/storage/backup.ts'
import { openDatabase } from '../../../platform/storage/open-database.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import type { Config } from '../../start/environment.ts'
import { findDatabaseFile, hasFile, loadExistingKeys } from '../../start/open-services.ts'
import {
  type OperatorContext,
  OperatorError,
  OperatorUsageError,
  parseOperatorArgs,
} from '../operator-command.ts'

/**
 * `backup FILE`: copies the embedded database beside a running service, checks the copy, and names the keys it needs.
 *
 * @returns the exit code: 65 if the database is damaged, 66 if there is none, 73 if the file exists or cannot be written, 78
 * for PostgreSQL
 */
export async function backupCommand(
  args: readonly string[],
  { loadConfig, output }: OperatorContext,
): Promise<number> {
  const [target, ...extraArgs] = args
  if (target === undefined || target.startsWith('-') || extraArgs.length > 0)
    throw new OperatorUsageError('expected a file')
  const config = loadConfig()
  const file = getEmbeddedDatabase(config, 'Back up PostgreSQL with pg_dump')
  if (!hasFile(file)) throw new OperatorError(66, `there is no database at ${file}.`)
  const facts = await writeBackup(file, target).catch(throwBackupError)
  output.log(`Backed up ${facts.accountCount} accounts to ${path.resolve(target)}, and checked it.`)
  output.log(
    `It needs ${describeKeys(facts.keyIds, config)}. Store them elsewhere: with both, anyone can read the secrets.`,
  )
  return 0
}

/** The keys of the ring that a database needs, as words. */
function describeKeys(keyIds: readonly string[], { transitKey }: Config): string {
  if (keyIds.length === 0) return 'no key yet'
  const ring = `the key${keyIds.length === 1 ? '' : 's'} ${keyIds.join(', ')} of LINCHPIN_KEYS or the key file`
  if (transitKey === undefined) return ring
  return `${ring}, and the transit key ${transitKey.engineUrl}/keys/${transitKey.name} if it encrypts them`
}

/** @throws OperatorError 78 with PostgreSQL */
function getEmbeddedDatabase(config: Config, remedy: string): string {
  if (config.databaseUrl !== undefined)
    throw new OperatorError(
      78,
      `DATABASE_URL is set, and this is for the embedded database. ${remedy}: see docs/maintenance.md.`,
    )
  return findDatabaseFile(config)
}

function throwBackupError(error: unknown): never {
  if (error instanceof StorageError && error.kind === 'corrupt')
    throw new OperatorError(65, `${error.message}. Keep the last good backup.`, error)
  if (error instanceof StorageError && error.kind === 'full')
    throw new OperatorError(73, 'there is no space left for the file.', error)
  const { code, path: file } = error as { code?: string; path?: string }
  if (code === 'EEXIST')
    throw new OperatorError(73, 'this file exists. Give each backup a name of its own.', error)
  if (code !== undefined && file !== undefined)
    throw new OperatorError(73, `the file cannot be created: ${(error as Error).message}.`, error)
  throw error
}

/**
 * `restore FILE [--replace]`: makes a backup the embedded database, while no service runs.
 *
 * @returns the exit code: 65 if the backup is not sound, 66 if there is none, 73 if a database exists, 78 if the keys do not
 * open it, a service runs, or for PostgreSQL
 */
export async function restoreCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const { backup, replaces } = parseOptions(args)
  const config = context.loadConfig()
  const file = getEmbeddedDatabase(config, 'Restore PostgreSQL with pg_restore')
  if (!existsSync(backup)) throw new OperatorError(66, `there is no file ${backup}.`)
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const restored = await restoreBackup({
    file,
    backup,
    replaces,
    now: context.now,
    verify: (copy) => verifyKeysOf(copy, config, context),
  }).catch(throwRestoreError)
  const { output } = context
  output.log(`Restored ${restored.accountCount} accounts to ${file}.`)
  if (restored.previous !== undefined)
    output.log(
      `The previous database is ${restored.previous}. Delete it when you no longer need it.`,
    )
  output.log(
    'docs/maintenance.md lists what to do after going back in time, such as revoking tokens again.',
  )
  return 0
}

function parseOptions(args: readonly string[]): { backup: string; replaces: boolean } {
  const { values, positionals } = parseOperatorArgs(args, { replace: { type: 'boolean' } })
  const [backup, ...extra] = positionals
  if (backup === undefined || extra.length > 0) throw new OperatorUsageError('expected a file')
  return { backup, replaces: values.replace ?? false }
}

/** @throws VaultError if the keys do not open the backup */
async function verifyKeysOf(
  copy: string,
  config: Config,
  { now, openOptions }: OperatorContext,
): Promise<void> {
  const keys = await loadExistingKeys(config)
  const database = await openDatabase({ file: copy, onFatal: openOptions.onFatal })
  try {
    await createVault({ database, keys, now }).verify()
  } finally {
    await database.close()
  }
}

function throwRestoreError(error: unknown): never {
  if (error instanceof DatabaseExistsError)
    throw new OperatorError(
      73,
      'there is a database already. With --replace it is set aside, not deleted.',
      error,
    )
  if (error instanceof StorageError && error.kind === 'corrupt')
    throw new OperatorError(65, `${error.message}.`, error)
  throw error
}
