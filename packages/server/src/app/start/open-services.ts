import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createEgressGateway } from '@linchpin/runner'
import { ConfigError } from '../../platform/config/config.ts'
import type { Database, DatabaseOptions, PostgresOptions } from '../../platform/storage/database.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { StorageVersionError } from '../../platform/storage/storage-error.ts'
import type { DatabaseLocation } from '../../platform/storage/transfer/open-transfer.ts'
import {
  isKeyRing,
  type KeyEntries,
  type KeyRing,
  loadOrCreateKeyFile,
  runKeyCommand,
} from '../../platform/vault/key-ring.ts'
import { VaultError } from '../../platform/vault/sealed-box.ts'
import { openKeyEntries, type TransitDeps } from '../../platform/vault/transit-key.ts'
import { createVault, type Vault } from '../../platform/vault/vault.ts'
import { type Config, toEgressOptions } from './environment.ts'

export interface OpenServicesOptions {
  /** Locks the embedded database for a service; commands run while it is locked, and need what a service has created. */
  readonly exclusive: boolean
  /** Receives sentences for the operator. */
  readonly onNotice: (text: string) => void
  readonly onFatal: (error: Error) => void
  readonly now: () => number
}

/** What the service and its commands share: a migrated database, and a vault whose keys open it. */
export interface CoreServices {
  readonly database: Database
  readonly vault: Vault
}

/**
 * Opens the database, migrates it and opens the vault.
 *
 * @throws ConfigError when the data folder is unusable or its key file is missing
 * @throws VaultError when the keys do not open the data; the data is then unchanged
 * @throws StorageVersionError, StorageInUseError, StorageError
 */
export async function openServices(
  config: Config,
  options: OpenServicesOptions,
): Promise<CoreServices> {
  const databaseFile = findDatabaseFile(config)
  if (!options.exclusive) assertDatabaseExists(config)
  if (config.databaseUrl === undefined)
    await mkdir(path.dirname(databaseFile), { recursive: true, mode: 0o700 }).catch(
      throwDataDirError,
    )
  const keys = await loadKeys(config, options.onNotice)
  const database = await openConfiguredDatabase(config, options)
  try {
    if (!options.exclusive) await assertHasSchema(database)
    const vault = createVault({ database, keys, now: options.now })
    if (config.migratesAtStart) {
      if (await isOlderSchema(database)) await vault.verifyOlderSchema()
      await database.migrate({ onProgress: (text) => options.onNotice(`Migrating: ${text}`) })
    } else await assertMigrated(database)
    await vault.verify()
    return { database, vault }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * A command in a wrong folder must neither create a database nor report on an empty one: `keys verify` would say that no key
 * is needed.
 *
 * @throws ConfigError
 */
export function assertDatabaseExists(config: Config): void {
  const file = findDatabaseFile(config)
  if (config.databaseUrl !== undefined || hasFile(file)) return
  throw new ConfigError([
    `LINCHPIN_DATA_DIR: there is no database at ${file}. Set the folder of the service, which has to have been started once.`,
  ])
}

/** The same for a database without tables. @throws ConfigError */
export async function assertHasSchema(database: Database): Promise<void> {
  if (!(await database.isEmpty())) return
  const setting = database.dialect === 'postgres' ? 'DATABASE_URL' : 'LINCHPIN_DATA_DIR'
  throw new ConfigError([
    `${setting}: the database is empty. Set that of the service, which has to have been started once.`,
  ])
}

async function isOlderSchema(database: Database): Promise<boolean> {
  const pending = await database.listPendingMigrations()
  return pending.length > 0 && !(await database.isEmpty())
}

/** @throws StorageVersionError if the database lacks migrations */
async function assertMigrated(database: Database): Promise<void> {
  const pending = await database.listPendingMigrations()
  if (pending.length === 0) return
  const names = pending.map(({ name }) => name).join(', ')
  throw new StorageVersionError(
    `The database lacks migrations (${names}). Run \`linchpin migrate\`, or set LINCHPIN_MIGRATE=1.`,
  )
}

/** Opens the database that the settings name, as they say. Neither migrates it nor opens the vault. */
export function openConfiguredDatabase(
  config: Config,
  { exclusive, readOnly, onFatal }: Pick<DatabaseOptions, 'exclusive' | 'readOnly' | 'onFatal'>,
): Promise<Database> {
  return openDatabase({
    url: config.databaseUrl,
    file: findDatabaseFile(config),
    postgres: getPostgresOptions(config),
    exclusive,
    readOnly,
    onFatal,
  })
}

/** What the settings say about PostgreSQL. */
export function getPostgresOptions(config: Config): PostgresOptions {
  return {
    writeConnections: config.pgWriteConnections,
    readConnections: config.pgReadConnections,
    statementTimeoutMs: config.pgStatementTimeoutMs,
    lockTimeoutMs: config.pgLockTimeoutMs,
    connectTimeoutMs: config.pgConnectTimeoutMs,
    pooler: config.pgPooler,
    directUrl: config.pgDirectUrl,
  }
}

/** Where commands read or fill the whole database: past a pooler, which may end what takes long. */
export function locateDatabase(config: Config): DatabaseLocation {
  const { databaseUrl, pgDirectUrl } = config
  return { url: databaseUrl && (pgDirectUrl ?? databaseUrl), file: findDatabaseFile(config) }
}

/** The path of the embedded database. */
export function findDatabaseFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return path.resolve(dataDir, 'linchpin.db')
}

/**
 * The keys of LINCHPIN_KEYS, else of the key file of the data folder, for commands that must not create one.
 *
 * @throws ConfigError if there is none; VaultError if it is damaged; as `openKeyRing`
 */
export async function loadExistingKeys(config: Config): Promise<KeyRing> {
  const configured = await openKeyRing(config)
  if (configured !== undefined) return configured
  const keyFile = findKeyFile(findDatabaseFile(config))
  if (!existsSync(keyFile))
    throw new ConfigError([
      `LINCHPIN_KEYS: there is no key file ${keyFile}. Restore it, or set LINCHPIN_KEYS to its keys.`,
    ])
  return (await loadOrCreateKeyFile(keyFile)).keys
}

function findKeyFile(databaseFile: string): string {
  return path.join(path.dirname(databaseFile), 'keys')
}

/**
 * The keys of LINCHPIN_KEYS, else of the key file beside the database, which it creates for a new database.
 *
 * @throws ConfigError if the key file is missing; as `openKeyRing`
 */
export async function loadKeys(
  config: Config,
  onNotice: OpenServicesOptions['onNotice'],
): Promise<KeyRing> {
  const configured = await openKeyRing(config)
  if (configured !== undefined) return configured
  const databaseFile = findDatabaseFile(config)
  const keyFile = findKeyFile(databaseFile)
  // A new key could not open the existing data.
  if (hasFile(databaseFile) && !existsSync(keyFile))
    throw new ConfigError([
      `LINCHPIN_KEYS: the key file ${keyFile} is missing, but its database exists. Restore the file, or set LINCHPIN_KEYS to its keys. If the keys are lost for good, see \`linchpin keys forget\` in docs/maintenance.md.`,
    ])
  const {
    keys,
    isNew,
    notice: keyFileWarning,
  } = await loadOrCreateKeyFile(keyFile).catch(throwDataDirError)
  if (keyFileWarning !== undefined) onNotice(keyFileWarning)
  if (isNew)
    onNotice(
      `Created a key file: ${keyFile}. Anyone who copies the data folder gets the keys too; in production, set LINCHPIN_KEYS and store the keys elsewhere.`,
    )
  return keys
}

/** Reports a system error under the name of the setting. A VaultError about a damaged key file passes unchanged. */
function throwDataDirError(error: unknown): never {
  if (error instanceof VaultError || !(error instanceof Error)) throw error
  throw new ConfigError([`LINCHPIN_DATA_DIR: ${error.message}`])
}

/**
 * The keys of LINCHPIN_KEYS or of its command, decrypted by the transit key where they are encrypted; undefined without that setting.
 *
 * @throws VaultError, TransitUnavailableError
 */
export async function openKeyRing(
  config: Config,
  options: Pick<TransitDeps, 'retryDelaysMs'> = {},
): Promise<KeyRing | undefined> {
  const { transitKey, transitToken, transitNamespace } = config
  const keys = await findKeyEntries(config, options)
  if (keys === undefined || isKeyRing(keys)) return keys
  // For these requests only: the service has no port yet, and a command never has one.
  const egressGateway = createEgressGateway(toEgressOptions(config))
  try {
    const key = transitKey && { ...transitKey, token: transitToken, namespace: transitNamespace }
    return await openKeyEntries(keys, key, { egressGateway, ...options })
  } finally {
    await egressGateway.close()
  }
}

async function findKeyEntries(
  { keys }: Config,
  options: Pick<TransitDeps, 'retryDelaysMs'>,
): Promise<KeyEntries | undefined> {
  return keys !== undefined && 'path' in keys ? await runKeyCommand(keys, options) : keys
}

/**
 * Whether there is a file or folder.
 *
 * @throws the system's error, such as EACCES: what is in the folder of another user is not missing
 */
export function hasFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
