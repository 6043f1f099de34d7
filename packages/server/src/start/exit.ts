import { ConfigError } from '../config/config.ts'
import { errorFacts } from '../http/log.ts'
import { StorageError, StorageInUseError, StorageVersionError } from '../storage/storage-error.ts'
import { VaultError } from '../vault/vault-error.ts'

/** Addresses and folders that are not there to be used as the settings say. */
const OPERATORS_TO_MEND = [
  ...['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND'],
  ...['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS'],
]

/** PostgreSQL says that what `DATABASE_URL` names is not there, or not ours: role, password, database, rights. */
const DATABASE_TO_MEND = ['28000', '28P01', '3D000', '42501']

/** The code of a start that failed. 78 (EX_CONFIG): the operator has to change something first. 1: anything else. */
export function exitCodeOf(error: unknown): number {
  const isSetting =
    error instanceof ConfigError ||
    error instanceof VaultError ||
    error instanceof StorageVersionError ||
    error instanceof StorageInUseError ||
    (error instanceof StorageError && error.kind === 'corrupt') ||
    [...OPERATORS_TO_MEND, ...DATABASE_TO_MEND].includes(codeOf(error))
  return isSetting ? 78 : 1
}

/** Says on standard error why a start failed: sentences for what an operator can mend, facts for all else. */
export function sayWhy(error: unknown): void {
  if (error instanceof ConfigError) {
    const count = error.mistakes.length
    console.error(`Linchpin cannot start: ${count} setting${count === 1 ? ' is' : 's are'} wrong.`)
    for (const mistake of error.mistakes) console.error(`  ${mistake}`)
  } else if (error instanceof StorageError)
    console.error(`Linchpin cannot start: ${storageSentence(error)}`)
  else if (exitCodeOf(error) === 78 && error instanceof Error) {
    const setting = DATABASE_TO_MEND.includes(codeOf(error)) ? 'DATABASE_URL: ' : ''
    console.error(`Linchpin cannot start: ${setting}${error.message}`)
  } else sayCrash(error)
}

/** Says on standard error why a service that ran ends, with all that helps to find out. */
export function sayCrash(error: unknown): void {
  console.error(JSON.stringify({ level: 'fatal', err: errorFacts(error) }))
}

function storageSentence({ kind, message, cause }: StorageError): string {
  const why = cause instanceof Error ? ` (${cause.message})` : ''
  return `${message}${why}.${kind === 'corrupt' ? ' Put a backup in its place.' : ''}`
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
