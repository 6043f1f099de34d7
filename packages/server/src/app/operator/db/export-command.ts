import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { assertChecksum } from '../../../platform/storage/integrity/file-checksum.ts'
import { assertNotRestoring } from '../../../platform/storage/restore-marker.ts'
import { openTransferSource } from '../../../platform/storage/transfer/open-transfer.ts'
import { hasFile } from '../../start/has-file.ts'
import { locateDatabase } from '../../start/open-services.ts'
import { type OperatorContext, OperatorError, OperatorUsageError } from '../operator-command.ts'
import { exportDatabase, type TableReport } from './export-database.ts'

/**
 * Exports the database beside a service that may be running. Needs no key.
 *
 * @returns the exit code: 66 if there is no database, 73 if the file exists or cannot be written
 */
export async function exportDatabaseCommand(
  args: readonly string[],
  { loadConfig, output }: OperatorContext,
): Promise<number> {
  const file = findExportFile(args)
  if (existsSync(file)) throw new OperatorError(73, `${file} exists already. Choose another name.`)
  const config = loadConfig()
  const location = locateDatabase(config)
  if (location.url === undefined) {
    if (!hasFile(location.file))
      throw new OperatorError(66, `there is no database at ${location.file}.`)
    assertNotRestoring(location.file)
    assertChecksum(location.file)
  }
  const source = await openTransferSource(location)
  try {
    await exportDatabase(source, file, (report) => output.log(describeTable(report))).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOSPC')
          throw new OperatorError(73, `there is no space left for ${file}.`, error)
        if (error.path === undefined) throw error
        throw new OperatorError(73, `the file cannot be created: ${error.message}.`, error)
      },
    )
  } finally {
    await source.close()
  }
  output.log(`Exported to ${file}. It has secrets, sealed: import it under the same key ring.`)
  return 0
}

/** The file of the only argument; a folder has one export, with this name. */
export function findExportFile(args: readonly string[]): string {
  const [argument, ...others] = args
  if (argument === undefined || others.length > 0 || argument.startsWith('-'))
    throw new OperatorUsageError('it takes one file or folder')
  const isFolder = statSync(argument, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isFolder ? path.join(argument, 'linchpin.export') : argument
}

export function describeTable({ name, rows, hash }: TableReport): string {
  return `${name.padEnd(20)} ${String(rows).padStart(9)} rows  ${hash}`
}
