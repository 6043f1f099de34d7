import { ConfigError } from '../../platform/config/config.ts'
import { serializeError } from '../../platform/http/log.ts'
import {
  StorageError,
  StorageInUseError,
  StoragePoolerError,
  StorageRefusedError,
  StorageVersionError,
} from '../../platform/storage/storage-error.ts'
import { VaultError } from '../../platform/vault/sealed-box.ts'
import { TransitUnavailableError } from '../../platform/vault/transit-key.ts'

/** Error codes for an address or folder that the settings name and that is missing or not usable, or for an unprepared clone. */
const SYSTEM_CONFIGURATION_ERRORS = [
  'ENOTPREPARED',
  ...['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND'],
  ...['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS'],
]

/** SQLSTATE for a role of `DATABASE_URL` that lacks privileges. */
const DATABASE_CONFIGURATION_ERRORS = ['42501']

/** The exit code of a failed start: 78 (EX_CONFIG) when the operator has to change something first, otherwise 1. */
export function getExitCode(error: unknown): number {
  const isConfigurationError =
    error instanceof ConfigError ||
    error instanceof VaultError ||
    error instanceof StorageVersionError ||
    error instanceof StorageInUseError ||
    error instanceof StoragePoolerError ||
    error instanceof StorageRefusedError ||
    (error instanceof StorageError && error.kind === 'corrupt') ||
    [...SYSTEM_CONFIGURATION_ERRORS, ...DATABASE_CONFIGURATION_ERRORS].includes(getErrorCode(error))
  return isConfigurationError ? 78 : 1
}

/**
 * Prints to standard error why a start, or the command with this name, failed: sentences for errors that an operator can
 * fix, otherwise the whole error.
 */
export function printStartupError(error: unknown, command?: string): void {
  const description = describeForOperator(error, command !== undefined)
  if (description === undefined) printCrash(error)
  else console.error(`${command ?? 'Linchpin cannot start'}: ${description}`)
}

/** Undefined for an error that an operator cannot fix. */
function describeForOperator(error: unknown, isCommand: boolean): string | undefined {
  if (error instanceof ConfigError) {
    const count = error.errors.length
    const summary = `${count} setting${count === 1 ? ' is' : 's are'} invalid.`
    return [summary, ...error.errors].join('\n  ')
  }
  if (error instanceof StorageError) return describeStorageError(error)
  if (error instanceof TransitUnavailableError) return error.message
  if (!(error instanceof Error)) return undefined
  const code = getErrorCode(error)
  const listenAdvice = describeListenError(error)
  if (listenAdvice !== undefined) return listenAdvice
  if (getExitCode(error) === 78)
    return `${DATABASE_CONFIGURATION_ERRORS.includes(code) ? 'DATABASE_URL: ' : ''}${error.message}`
  const isSystemError = 'syscall' in error
  return (isCommand && code !== '') || isSystemError ? error.message : undefined
}

/** What to set when `PORT` or `HOST` cannot be used; undefined for other errors. */
function describeListenError(error: NodeJS.ErrnoException): string | undefined {
  const { code, syscall, port, address } = error as ListenError
  if (syscall === 'getaddrinfo' && port === undefined)
    return `HOST is a name that cannot be resolved (${code}). Set it to an address of this machine, such as 127.0.0.1.`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use, perhaps by another Linchpin. Stop that program, or choose another port: PORT=${suggestPort(port)}`
  if (code === 'EADDRNOTAVAIL')
    return `HOST is ${address}, which is not an address of this machine. Set it to 127.0.0.1, or to 0.0.0.0 for all addresses.`
  if (code === 'EACCES')
    return `This user may not listen on port ${port}. Choose one above 1023: PORT=3000`
  return undefined
}

/** An error of `server.listen()`. */
interface ListenError extends NodeJS.ErrnoException {
  readonly port?: number
  readonly address?: string
}

function suggestPort(port = 3_000): number {
  return port < 65_535 ? port + 1 : port - 1
}

/** Prints to standard error why the process ends: the whole error, as text or as one JSON line. */
export function printCrash(error: unknown, isPretty = process.stdout.isTTY === true): void {
  const err = serializeError(error)
  if (isPretty) console.error(`Linchpin failed: ${err.stack || err.message}`)
  else console.error(JSON.stringify({ level: 'fatal', err }))
}

function describeStorageError({ kind, message, cause }: StorageError): string {
  const causeMessage = cause instanceof Error ? ` (${cause.message})` : ''
  return `${message}${causeMessage}.${kind === 'corrupt' ? ' Restore it from a backup.' : ''}`
}

function getErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
