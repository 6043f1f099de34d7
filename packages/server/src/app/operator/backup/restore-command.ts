import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import {
  DatabaseExistsError,
  restoreBackup,
} from '../../../platform/storage/backup/restore-backup.ts'
import { openDatabase } from '../../../platform/storage/open-database.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import type { Config } from '../../start/environment.ts'
import { loadExistingKeys } from '../../start/open-services.ts'
import { type OperatorContext, OperatorError, OperatorUsageError } from '../operator-command.ts'
import { parseOperatorArgs } from '../parse-operator-args.ts'
import { getEmbeddedDatabase } from './backup-command.ts'

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
