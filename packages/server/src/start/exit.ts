import { ConfigError } from '../config/config.ts'
import { errorFacts } from '../http/log.ts'
import { StorageInUseError, StorageVersionError } from '../storage/storage-error.ts'
import { VaultError } from '../vault/vault-error.ts'

/** Addresses and folders that are not there to be used as the settings say. */
const OPERATORS_TO_MEND = [
  ...['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND'],
  ...['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS'],
]

/** 78 (EX_CONFIG): the operator has to change something before a new start helps. 1: anything else. */
export function exitCodeOf(error: unknown): number {
  const isSetting =
    error instanceof ConfigError ||
    error instanceof VaultError ||
    error instanceof StorageVersionError ||
    error instanceof StorageInUseError ||
    OPERATORS_TO_MEND.includes(codeOf(error))
  return isSetting ? 78 : 1
}

/** Says on standard error why the process ends: sentences for what an operator can mend, facts for all else. */
export function sayWhy(error: unknown): void {
  if (error instanceof ConfigError) {
    const count = error.mistakes.length
    console.error(`Linchpin cannot start: ${count} setting${count === 1 ? ' is' : 's are'} wrong.`)
    for (const mistake of error.mistakes) console.error(`  ${mistake}`)
  } else if (exitCodeOf(error) === 78 && error instanceof Error)
    console.error(`Linchpin cannot start: ${error.message}`)
  else console.error(JSON.stringify({ level: 'fatal', err: errorFacts(error) }))
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
