import { ConfigError } from '../config/config.ts'
import { serializeError } from '../http/log.ts'
import { StorageError, StorageInUseError, StorageVersionError } from '../storage/storage-error.ts'
import { VaultError } from '../vault/vault-error.ts'

/** Addresses and folders that are not there to be used as the settings say. */
const SYSTEM_CONFIGURATION_ERRORS = [
  ...['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND'],
  ...['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS'],
]

/** PostgreSQL says that what `DATABASE_URL` names is not there, or not ours: role, password, database, rights. */
const DATABASE_CONFIGURATION_ERRORS = ['28000', '28P01', '3D000', '42501']

/** The code of a start that failed. 78 (EX_CONFIG): the operator has to change something first. 1: anything else. */
export function getExitCode(error: unknown): number {
  const isConfigurationError =
    error instanceof ConfigError ||
    error instanceof VaultError ||
    error instanceof StorageVersionError ||
    error instanceof StorageInUseError ||
    (error instanceof StorageError && error.kind === 'corrupt') ||
    [...SYSTEM_CONFIGURATION_ERRORS, ...DATABASE_CONFIGURATION_ERRORS].includes(getErrorCode(error))
  return isConfigurationError ? 78 : 1
}

/** Says on standard error why a start failed: sentences for what an operator can mend, facts for all else. */
export function printStartupError(error: unknown): void {
  if (error instanceof ConfigError) {
    const count = error.errors.length
    console.error(`Linchpin cannot start: ${count} setting${count === 1 ? ' is' : 's are'} wrong.`)
    for (const configError of error.errors) console.error(`  ${configError}`)
  } else if (error instanceof StorageError)
    console.error(`Linchpin cannot start: ${describeStorageError(error)}`)
  else if (getExitCode(error) === 78 && error instanceof Error) {
    const setting = DATABASE_CONFIGURATION_ERRORS.includes(getErrorCode(error))
      ? 'DATABASE_URL: '
      : ''
    console.error(`Linchpin cannot start: ${setting}${error.message}`)
  } else printCrash(error)
}

/** Says on standard error why a service that ran ends, with all that helps to find out. */
export function printCrash(error: unknown): void {
  console.error(JSON.stringify({ level: 'fatal', err: serializeError(error) }))
}

function describeStorageError({ kind, message, cause }: StorageError): string {
  const causeMessage = cause instanceof Error ? ` (${cause.message})` : ''
  return `${message}${causeMessage}.${kind === 'corrupt' ? ' Put a backup in its place.' : ''}`
}

function getErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
