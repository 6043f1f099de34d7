import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Database, PendingMigration } from '../../../platform/storage/database.ts'
import { describeMigrations, MIGRATIONS } from '../../../platform/storage/migrate.ts'
import type { Config } from '../../start/environment.ts'
import { findDatabaseFile, hasFile, openConfiguredDatabase } from '../../start/open-services.ts'
import {
  type CommandOutput,
  type OperatorCommand,
  OperatorUsageError,
} from '../operator-command.ts'

/** The exit code of `--check` while the database lacks migrations. */
const PENDING = 3

/**
 * Runs the migrations that the database lacks, beside nodes that use it. `--check` prints them and changes nothing.
 *
 * @throws OperatorUsageError, and what opening the database throws
 */
export const migrateCommand: OperatorCommand = async (
  args,
  { output, loadConfig, openOptions },
) => {
  if (args.length > 1 || (args[0] ?? '--check') !== '--check')
    throw new OperatorUsageError('its only argument is --check')
  const isCheck = args.length === 1
  const config = loadConfig()
  const file = findDatabaseFile(config)
  if (config.databaseUrl === undefined && !hasFile(file)) {
    // Opening it would create it.
    if (isCheck) return printPending(describeMigrations(MIGRATIONS), config, output)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  }
  const { onFatal } = openOptions
  const database = await openConfiguredDatabase(config, { onFatal })
  try {
    return isCheck
      ? printPending(await database.listPendingMigrations(), config, output)
      : await migrate(database, output)
  } finally {
    await database.close()
  }
}

async function migrate(database: Database, output: CommandOutput): Promise<number> {
  let count = 0
  let startedAt = performance.now()
  await database.migrate({
    onApplied: (name) => {
      count += 1
      output.log(`${name}: applied after ${Math.round(performance.now() - startedAt)} ms`)
      startedAt = performance.now()
    },
    onProgress: (text) => output.error(text),
  })
  output.log(count === 0 ? 'The database is up to date.' : `Migrations applied: ${count}.`)
  return 0
}

function printPending(
  pending: readonly PendingMigration[],
  config: Config,
  output: CommandOutput,
): number {
  if (pending.length === 0) {
    output.log('The database is up to date.')
    return 0
  }
  for (const migration of pending) output.log(describe(migration, config))
  output.log(`Migrations pending: ${pending.length}. Nothing was changed.`)
  return PENDING
}

function describe({ name, indexes, minReader }: PendingMigration, config: Config): string {
  const method = config.databaseUrl === undefined ? 'creates' : 'creates without blocking writes'
  const parts = [
    ...indexes.map((index) => `${method} the index ${index}`),
    minReader === undefined
      ? 'older nodes cannot start afterwards'
      : `nodes that know ${minReader} can start afterwards`,
  ]
  return `${name}: ${parts.join('; ')}`
}
