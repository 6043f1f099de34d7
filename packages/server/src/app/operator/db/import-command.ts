import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from '../../../platform/config/config.ts'
import {
  openTransferSource,
  openTransferTarget,
} from '../../../platform/storage/transfer/open-transfer.ts'
import { loadOrCreateKeyFile } from '../../../platform/vault/key-file.ts'
import { assertOpensData } from '../../../platform/vault/verify-keys.ts'
import type { Config } from '../../start/environment.ts'
import { openKeyRing } from '../../start/open-key-ring.ts'
import { locateDatabase, openConfiguredDatabase } from '../../start/open-services.ts'
import { type OperatorContext, OperatorError } from '../operator-command.ts'
import { describeTable, findExportFile } from './export-command.ts'
import { checkExportFile, ExportFileError } from './export-file.ts'
import { importDatabase, TargetInUseError } from './import-database.ts'

/**
 * Imports an export into an empty database, which nothing else uses, or continues to.
 *
 * @returns the exit code: 65 if the export or the target cannot be used, 66 if there is no export
 */
export async function importDatabaseCommand(
  args: readonly string[],
  { loadConfig, openOptions, output }: OperatorContext,
): Promise<number> {
  const file = findExportFile(args)
  if (!existsSync(file)) throw new OperatorError(66, `there is no file ${file}.`)
  const config = loadConfig()
  const location = locateDatabase(config)
  try {
    output.log(`Checking ${file}.`)
    const content = await checkExportFile(file)
    const keys = await loadKeys(config, location.file)
    assertOpensData(keys, content.trailer.keys)
    if (config.databaseUrl === undefined)
      await mkdir(path.dirname(location.file), { recursive: true, mode: 0o700 })
    const { onFatal } = openOptions
    const database = await openConfiguredDatabase(config, { exclusive: true, onFatal })
    const target = await openTransferTarget(location)
    try {
      await importDatabase(file, content, {
        target,
        openSource: () => openTransferSource(location),
        migrate: () => database.migrate(),
        onTable: (report) => output.log(`${describeTable(report)}  equal`),
      })
    } finally {
      await target.close()
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof ExportFileError || error instanceof TargetInUseError)) throw error
    output.error(`${file} cannot be imported: ${error.message}`)
    return 65
  }
  output.log('Imported. Every table has the rows of the export.')
  return 0
}

/** The key ring of the target. A new key could not open what is imported, so none is created. */
async function loadKeys(config: Config, databaseFile: string) {
  const keys = await openKeyRing(config)
  if (keys !== undefined) return keys
  const keyFile = path.join(path.dirname(databaseFile), 'keys')
  if (!existsSync(keyFile))
    throw new ConfigError([
      `LINCHPIN_KEYS: is not set, and there is no key file ${keyFile}. Copy the key ring of the exported installation first.`,
    ])
  return (await loadOrCreateKeyFile(keyFile)).keys
}
