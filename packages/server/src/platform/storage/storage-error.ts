import type { ErrorCode } from '../error-codes.ts'

/** The kind of a storage error; see `StorageError`. */
export type StorageErrorKind = 'unique' | 'reference' | 'unavailable' | 'full' | 'fatal' | 'corrupt'

/**
 * A database error that callers can handle, the same on SQLite and PostgreSQL.
 *
 * - `unique`: a value already exists; `constraint` names the columns, as `table(column, column)`.
 * - `reference`: the row refers to one that does not exist any more.
 * - `unavailable`: not reachable, too busy or too slow; whether anything was written is unknown.
 * - `full`: no space left on the disk; reads still work.
 * - `fatal`: the disk failed during a commit; the process must exit and restart.
 * - `corrupt`: the file is damaged or not a database.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly kind: StorageErrorKind
  readonly constraint: string | undefined

  constructor(kind: StorageErrorKind, message: string, details: StorageErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.kind = kind
    this.constraint = details.constraint
  }

  /** Whether the state of the database is the reason, not the code: the log needs no stack. */
  get isExpected(): boolean {
    return this.kind === 'unavailable' || this.kind === 'full'
  }
}

/**
 * PostgreSQL does not accept the role, the password, the database or the TLS settings of `DATABASE_URL`: a restart does not help.
 * A service that runs already, such as one whose password has changed, answers as for every `unavailable` database.
 */
export class StorageRefusedError extends StorageError {
  constructor(details: StorageErrorDetails) {
    super('unavailable', 'DATABASE_URL: the server does not accept the connection', details)
  }
}

/** Optional details of a StorageError. */
export interface StorageErrorDetails {
  cause?: unknown
  constraint?: string | undefined
}

/** The database was written by a newer version of Linchpin, or by another program; nothing was changed. */
export class StorageVersionError extends Error {
  override readonly name = 'StorageVersionError'
}

/** Another Linchpin is using the same database file. */
export class StorageInUseError extends Error {
  override readonly name = 'StorageInUseError'
}

/** A pooler gives each transaction another connection, and the options do not say so. */
export class StoragePoolerError extends Error {
  override readonly name = 'StoragePoolerError'

  constructor(options?: ErrorOptions) {
    super(
      'DATABASE_URL leads to a pooler in transaction mode. Set LINCHPIN_PG_POOLER=1, or use session mode or the address of PostgreSQL itself.',
      options,
    )
  }
}

/** The error code and message for storage errors that callers can handle. All others become `internal_error`. */
export const STORAGE_API_ERRORS: Partial<Record<StorageErrorKind, readonly [ErrorCode, string]>> = {
  reference: [
    'concurrent_update',
    'Something that the request refers to was deleted by another request. Read it and try again.',
  ],
  unavailable: ['storage_unavailable', 'The database is not responding. Try again in a moment.'],
  corrupt: [
    'storage_unavailable',
    'Stored data is damaged, and is not used. The operator has to restore it from a backup.',
  ],
  full: ['storage_full', 'The disk is full, so nothing can be written. Reads still work.'],
  fatal: ['storage_unavailable', 'The disk failed. Linchpin is restarting.'],
}

/**
 * Converts errors of both drivers: to a StorageError for failures that callers can handle, otherwise the error
 * itself. Causes have the code and message only, because PostgreSQL's `detail` contains values.
 */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error
  const errcode = 'errcode' in error ? error.errcode : undefined
  if (typeof errcode === 'number') return convertSqliteError(error, errcode)
  const code = 'code' in error ? error.code : undefined
  // Of node:sqlite, for an integer above 2^53: no statement of ours has written it.
  if (code === 'ERR_OUT_OF_RANGE')
    return new StorageError('corrupt', 'A number in the database is too large', {
      cause: toCause(error, code),
    })
  return convertPostgresError(error, typeof code === 'string' ? code : '')
}

/** Whether PostgreSQL aborted the transaction because of a conflict or a deadlock: a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return hasCause(error, /^(40001|40P01): /)
}

/** Whether PostgreSQL ended a statement that waited for a lock, or took too long. The connection is usable afterwards. */
export function isTimeout(error: unknown): boolean {
  return hasCause(error, /^(55P03|57014): /)
}

/** Whether a prepared statement of PostgreSQL would return other columns than when it was prepared. The connection is usable afterwards. */
export function isStalePlan(error: unknown): boolean {
  return hasCause(error, /^0A000: /)
}

function hasCause(error: unknown, code: RegExp): boolean {
  if (!(error instanceof StorageError) || !(error.cause instanceof Error)) return false
  return code.test(error.cause.message)
}

/** Result codes: https://sqlite.org/rescode.html. The low byte is the primary code. */
function convertSqliteError(error: Error, errcode: number): unknown {
  const cause = toCause(error, errcode)
  switch (errcode & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
    case 14: // SQLITE_CANTOPEN
      return new StorageError('unavailable', 'The database is busy or cannot be opened', { cause })
    case 10: // SQLITE_IOERR
      // After a failed fsync the pages on disk are unknown: a retry could acknowledge lost writes.
      return new StorageError('fatal', 'The disk failed', { cause })
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return new StorageError('corrupt', 'The database file is damaged', { cause })
    case 13: // SQLITE_FULL
      return new StorageError('full', 'No space is left for the database', { cause })
  }
  // SQLITE_CONSTRAINT_FOREIGNKEY
  if (errcode === 787) return createReferenceError(cause)
  if (errcode !== 1555 && errcode !== 2067) return error
  const columns = /UNIQUE constraint failed: (.*)/.exec(error.message)?.[1]?.split(', ') ?? []
  const table = columns[0]?.split('.')[0]
  const names = columns.map((column) => column.slice(column.indexOf('.') + 1))
  return createUniqueViolation(`${table}(${names.join(', ')})`, cause)
}

/** SQLSTATE codes: https://www.postgresql.org/docs/15/errcodes-appendix.html. */
function convertPostgresError(error: Error, code: string): unknown {
  const cause = toCause(error, code)
  if (code === '23505') return createUniqueViolation(getConstraint(error), cause)
  if (code === '23503') return createReferenceError(cause)
  if (code === '53100') {
    return new StorageError('full', 'No space is left for the database', { cause })
  }
  if (code === 'XX001' || code === 'XX002') {
    return new StorageError('corrupt', 'The database is damaged', { cause })
  }
  if (code === '25006') {
    return new StorageError('unavailable', 'The database is read-only: not the primary', { cause })
  }
  if (code === '55P03') {
    return new StorageError('unavailable', 'A lock was not granted in time', { cause })
  }
  // The message depends on the server's language.
  if (code === '0A000' && 'routine' in error && error.routine === 'RevalidateCachedQuery') {
    return new StorageError('unavailable', 'A migration has changed the table', { cause })
  }
  // Statements are named by their content, so these names clash or vanish only when connections are swapped.
  if (code === '42P05' || code === '26000') return new StoragePoolerError({ cause })
  if (REFUSED_CODES.test(code) || (code === '' && REFUSED_MESSAGE.test(error.message)))
    return new StorageRefusedError({ cause })
  if (UNAVAILABLE_CODES.test(code) || UNAVAILABLE_MESSAGE.test(error.message)) {
    return new StorageError('unavailable', 'The database is unreachable', { cause })
  }
  return error
}

// A wrong role, password or database; a certificate that is expired, unknown or of another host.
const REFUSED_CODES = /^(28000|28P01|3D000|.*(CERT|SIGNATURE|ALTNAME).*|ERR_SSL_\w+|EPROTO)$/
// Of pg, without a code: no TLS, and a password that is missing or cannot be checked.
const REFUSED_MESSAGE =
  /^(The server does not support SSL connections|There was an error establishing an SSL connection|SASL: |Password is required|Unknown authenticationOk)/

// Connection failures, too many connections, out of memory, shutdown, crash, statement timeout,
// idle in transaction, conflicts after the last attempt.
const UNAVAILABLE_CODES =
  /^(08...|53[0234]..|57P0.|57014|25P03|40001|40P01|ECONN\w+|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)$/
// pg sets no code for most of these. A standby accepts writes once it is promoted.
const UNAVAILABLE_MESSAGE =
  /^(database is not open|cannot set transaction read-write mode|Connection terminated|Client was closed|Query read timeout|timeout exceeded|timeout expired|Client has encountered a connection error|Cannot use a pool after)/

function getConstraint(error: Error): string | undefined {
  const table = 'table' in error ? error.table : undefined
  const detail = 'detail' in error ? String(error.detail) : ''
  const columns = /\(([^)]+)\)=\(/.exec(detail)?.[1]
  if (columns !== undefined) return `${table}(${columns})`
  return 'constraint' in error ? String(error.constraint) : undefined
}

function createUniqueViolation(constraint: string | undefined, cause: Error): StorageError {
  return new StorageError('unique', `A value already exists: ${constraint}`, { constraint, cause })
}

function createReferenceError(cause: Error): StorageError {
  return new StorageError('reference', 'A row refers to one that does not exist', { cause })
}

function toCause(error: Error, code: number | string): Error {
  return new Error(code === '' ? error.message : `${code}: ${error.message}`)
}
