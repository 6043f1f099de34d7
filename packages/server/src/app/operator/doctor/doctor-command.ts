import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { loadCatalogue } from '@linchpin/catalogue'
import {
  type CatalogueStore,
  createCatalogueStore,
} from '../../../integrations/catalogue/catalogue-store.ts'
import { findOverrideProblem } from '../../../integrations/definitions/overridden.ts'
import { inspectDatabaseFile } from '../../../platform/storage/backup.ts'
import { assertChecksum, getRestoreMarker } from '../../../platform/storage/database-file.ts'
import { LAST_OF_38D70A5C, listMigrationNames } from '../../../platform/storage/migrate.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { openTransferSource } from '../../../platform/storage/transfer/open-transfer.ts'
import type { KeyRing } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import type { Config } from '../../start/environment.ts'
import {
  findDatabaseFile,
  loadExistingKeys,
  locateDatabase,
  openConfiguredDatabase,
} from '../../start/open-services.ts'
import { formatCommand, type OperatorContext, OperatorUsageError } from '../operator-command.ts'
import { checkRows, type Finding, type Report, type RowCounts } from './check-rows.ts'

/**
 * `doctor [--json]`: reads everything, changes nothing, and reports what is wrong. It runs beside a service.
 *
 * @returns the exit code: 0 if nothing is wrong, 1 with findings
 * @throws as opening the database does
 */
export async function doctorCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  if (args.length > 1 || (args.length === 1 && args[0] !== '--json'))
    throw new OperatorUsageError('it takes only --json')
  const { output } = context
  const asJson = args.length === 1
  let findingCount = 0
  const report = (finding: Finding) => {
    findingCount += 1
    if (asJson) output.log(JSON.stringify(finding))
    else if (findingCount <= MAX_PRINTED) output.log(describe(finding))
  }
  const counts = await examine(context, report)
  if (asJson) return findingCount === 0 ? 0 : 1
  if (findingCount > MAX_PRINTED)
    output.log(`${findingCount - MAX_PRINTED} more findings: --json prints all.`)
  if (counts !== undefined) output.log(summarize(counts))
  output.log(
    findingCount === 0
      ? 'Nothing is wrong.'
      : `${findingCount} finding${findingCount === 1 ? '' : 's'}.`,
  )
  return findingCount === 0 ? 0 : 1
}

const MAX_PRINTED = 100

function describe({ check, subject, problem, remedy }: Finding): string {
  return `${check}: ${subject}\n    ${problem}\n    ${remedy}`
}

interface Examined extends RowCounts {
  readonly overridden: Awaited<ReturnType<CatalogueStore['listOverridden']>>
}

function summarize({ rows, openedValues, contents, overridden }: Examined): string {
  const read = `Read ${rows} rows, opened ${openedValues} sealed values, hashed ${contents} bundles and icons.`
  if (overridden.length === 0) return read
  const all = overridden.map(({ key, isShared, workspaces }) => {
    const own = workspaces === 0 ? [] : [`${workspaces} workspace${workspaces === 1 ? '' : 's'}`]
    return `${key} (${[...(isShared ? ['this instance'] : []), ...own].join(', ')})`
  })
  return `${read}\nOverridden integrations of the catalogue: ${all.join(', ')}.`
}

/** Overrides of this instance that do not fit the newest versions here. */
async function checkOverrides({ catalogueOverrides = {} }: Config, report: Report): Promise<void> {
  if (Object.keys(catalogueOverrides).length === 0) return
  const { entries } = await loadCatalogue()
  for (const [key, patch] of Object.entries(catalogueOverrides)) {
    const entry = entries.find((each) => each.key === key)?.versions[0]?.entry
    const problem =
      entry === undefined
        ? 'The catalogue of this release has no entry with this key.'
        : findOverrideProblem(entry, patch)
    if (problem !== undefined)
      report({
        check: 'overrides',
        subject: `LINCHPIN_CATALOGUE_OVERRIDES: ${key}`,
        problem,
        remedy: 'Correct the patch and restart: until then, the integration is not overridden.',
      })
  }
}

/** @returns what was read; undefined if there is nothing to read */
async function examine(context: OperatorContext, report: Report): Promise<Examined | undefined> {
  const config = context.loadConfig()
  if (config.emulator !== undefined)
    report({
      check: 'settings',
      subject: 'LINCHPIN_EMULATOR',
      problem:
        'An emulator answers instead of all providers, and accepts credentials that no provider would.',
      remedy: 'Remove the setting, unless this is a test.',
    })
  const file = findDatabaseFile(config)
  const restoreCommand = formatCommand(context.env, 'restore FILE')
  const isEmbedded = config.databaseUrl === undefined
  if (
    isEmbedded &&
    !(checkDataFolder(file, restoreCommand, report) && checkStructure(file, report))
  )
    return undefined
  await checkOverrides(config, report)
  const keys = await findKeys(config, report)
  const source = await openTransferSource(locateDatabase(config))
  const { onFatal } = context.openOptions
  const database = await openConfiguredDatabase(config, { readOnly: true, onFatal })
  try {
    const isCurrent = checkSchema(await source.listMigrations(), report)
    const counts = await checkRows({
      source,
      report,
      // With another schema, every value would seem to be damaged.
      vault: isCurrent && keys ? createVault({ database, keys, now: context.now }) : undefined,
      onTable: (name) => context.output.error(`reading ${name} …`),
    })
    const overridden = isCurrent ? await createCatalogueStore(database).listOverridden() : []
    return { ...counts, overridden }
  } finally {
    await Promise.all([source.close(), database.close()])
  }
}

/** @returns whether it is a database whose rows can be read */
function checkStructure(file: string, report: Report): boolean {
  try {
    inspectDatabaseFile(file)
    return true
  } catch (error) {
    if (!(error instanceof StorageError) || error.kind !== 'corrupt') throw error
    const problem = `${error.message}.`
    report({ check: 'structure', subject: file, problem, remedy: 'Restore a backup.' })
    return !/is empty or not|is not a database of/.test(error.message)
  }
}

/** The key ring; undefined, with a finding, if it cannot be opened. The other checks do not need it. */
async function findKeys(config: Config, report: Report): Promise<KeyRing | undefined> {
  const isConfigured = config.keys !== undefined
  try {
    return await loadExistingKeys(config)
  } catch (error) {
    const problem = error instanceof Error ? error.message : ''
    const remedy = isConfigured
      ? 'Run it again when it works: no sealed value has been opened.'
      : 'Restore the key file: without it, no secret can be opened.'
    const subject = isConfigured ? 'LINCHPIN_KEYS' : 'key file'
    report({ check: 'keys', subject, problem, remedy })
    return undefined
  }
}

/**
 * Compares the migrations of a database with those of this version.
 *
 * @returns whether they are the same, so that this version knows what its columns mean
 */
function checkSchema(migrations: readonly string[], report: Report): boolean {
  const known = listMigrationNames()
  const missing = known.filter((name) => !migrations.includes(name))
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0 && migrations.at(-1) !== LAST_OF_38D70A5C)
    report({
      check: 'schema',
      subject: 'database',
      problem: `A newer version of Linchpin has written it: ${unknown.join(', ')}.`,
      remedy: 'Run the doctor of that version.',
    })
  else if (unknown.length > 0 || missing.length > 0)
    report({
      check: 'schema',
      subject: 'database',
      problem:
        missing.length > 0
          ? `Migrations are missing: ${missing.join(', ')}.`
          : 'It has the schema of commit 38d70a5c.',
      remedy: 'Start the service, which migrates, or run the doctor of the version that uses it.',
    })
  return unknown.length === 0 && missing.length === 0
}

/**
 * Checks the files of the embedded database: that it exists, that no other user can read it or the keys, that no restore
 * was interrupted, and that the disk has space.
 *
 * @returns whether there is a database to read
 */
function checkDataFolder(file: string, restoreCommand: string, report: Report): boolean {
  const folder = path.dirname(file)
  if (existsSync(getRestoreMarker(file))) {
    report({
      check: 'files',
      subject: file,
      problem: 'A restore was interrupted, so the data folder is incomplete.',
      remedy: `Run \`${restoreCommand}\` again.`,
    })
    return false
  }
  // Throws for a folder of another user.
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (!size) {
    report({
      check: 'files',
      subject: file,
      problem: size === 0 ? 'The database file is empty.' : 'There is no database.',
      remedy: 'Restore a backup, or check LINCHPIN_DATA_DIR.',
    })
    return false
  }
  checkBytes(file, report)
  checkModes(folder, report)
  checkSpace(file, report)
  return true
}

function checkBytes(file: string, report: Report): void {
  try {
    assertChecksum(file)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report({
      check: 'files',
      subject: file,
      problem: `${error.message}.`,
      remedy: 'Restore a backup.',
    })
  }
}

const PRIVATE = /^(?:keys|owner-token|linchpin\.db(?:-wal|-shm|\.replaced-.*)?)$/

function checkModes(folder: string, report: Report): void {
  for (const name of readdirSync(folder).filter((each) => PRIVATE.test(each))) {
    const mode = statSync(path.join(folder, name)).mode & 0o777
    if ((mode & 0o077) === 0) continue
    report({
      check: 'files',
      subject: path.join(folder, name),
      problem: `Other users can read it: its mode is ${mode.toString(8)}.`,
      remedy: 'Run chmod 600 on it.',
    })
  }
}

function checkSpace(file: string, report: Report): void {
  const { bavail, bsize } = statfsSync(path.dirname(file))
  const freeBytes = bavail * bsize
  const { size } = statSync(file)
  if (freeBytes > size) return
  report({
    check: 'files',
    subject: path.dirname(file),
    problem: `${Math.floor(freeBytes / 1e6)} MB are free, less than the database has: a backup or a migration may not fit.`,
    remedy: 'Free space, or move the data folder to a larger disk.',
  })
}
