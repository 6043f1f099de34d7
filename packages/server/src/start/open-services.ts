import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from '../config/config.ts'
import type { Database } from '../storage/database.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { StorageError } from '../storage/storage-error.ts'
import { loadOrCreateKeyFile } from '../vault/key-file.ts'
import { createVault, type Vault } from '../vault/vault.ts'
import { VaultError } from '../vault/vault-error.ts'
import type { Config } from './environment.ts'

export interface OpenServicesOptions {
  /** Claims the embedded database for a service; commands work beside it. */
  readonly exclusive: boolean
  /** Sentences for the operator. */
  readonly onNotice: (text: string) => void
  readonly onFatal: (error: StorageError) => void
  readonly now: () => number
}

/** What a service and a command both need: storage that is up to date, and keys that fit it. */
export interface CoreServices {
  readonly database: Database
  readonly vault: Vault
}

/**
 * Opens storage and vault.
 *
 * @throws VaultError when the keys do not fit the data; nothing is changed then
 * @throws StorageVersionError, StorageInUseError, StorageError
 */
export async function openServices(
  config: Config,
  options: OpenServicesOptions,
): Promise<CoreServices> {
  const dataDir = path.resolve(config.dataDir)
  if (config.databaseUrl === undefined)
    await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(throwDataDirError)
  const databaseFile = path.join(dataDir, 'linchpin.db')
  const keys = config.keys ?? (await loadKeys(databaseFile, options.onNotice))
  const database = await openDatabase({
    url: config.databaseUrl,
    file: databaseFile,
    exclusive: options.exclusive,
    onFatal: options.onFatal,
  })
  try {
    await database.migrate()
    const vault = createVault({ database, keys, now: options.now })
    await vault.verify()
    return { database, vault }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function loadKeys(databaseFile: string, onNotice: OpenServicesOptions['onNotice']) {
  const keyFile = path.join(path.dirname(databaseFile), 'keys')
  // A new key could open nothing of what is there.
  if (existsSync(databaseFile) && !existsSync(keyFile))
    throw new ConfigError([
      `LINCHPIN_KEYS: the key file ${keyFile} is gone, but its database is there. Put the file back, or give its keys in LINCHPIN_KEYS.`,
    ])
  const {
    keys,
    isNew,
    notice: keyFileWarning,
  } = await loadOrCreateKeyFile(keyFile).catch(throwDataDirError)
  if (keyFileWarning !== undefined) onNotice(keyFileWarning)
  if (isNew)
    onNotice(
      `Made a key file: ${keyFile}. Beside the data it is convenient, not safe: a thief of the folder has both. Keep keys in LINCHPIN_KEYS for more.`,
    )
  return keys
}

/** Whatever the system says of the folder, the setting is to blame; a damaged key file tells for itself. */
function throwDataDirError(error: unknown): never {
  if (error instanceof VaultError || !(error instanceof Error)) throw error
  throw new ConfigError([`LINCHPIN_DATA_DIR: ${error.message}`])
}
