import type { ErrorCode } from '../errors.ts'

/** The kind of a storage error; see `StorageError`. */
export type StorageErrorKind = 'unique' | 'unavailable' | 'full' | 'fatal' | 'corrupt'

/**
 * A database error that callers can handle, the same on SQLite and PostgreSQL.
 *
 * - `unique`: a value already exists; `constraint` names the columns, as `table(column, column)`.
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
}

/** Optional details of a StorageError. */
export interface StorageErrorDetails {
  cause?: unknown
  constraint?: string | undefined
}

/** The database was written by a newer version of Linchpin; nothing was changed. */
export class StorageVersionError extends Error {
  override readonly name = 'StorageVersionError'
}

/** Another Linchpin is using the same database file. */
export class StorageInUseError extends Error {
  override readonly name = 'StorageInUseError'
}

/** The error code and message for storage errors that callers can handle. All others become `internal_error`. */
export const STORAGE_API_ERRORS: Partial<Record<StorageErrorKind, readonly [ErrorCode, string]>> = {
  unavailable: ['storage_unavailable', 'The database is not responding. Try again in a moment.'],
  full: ['storage_full', 'The disk is full, so nothing can be written. Reads still work.'],
  fatal: ['storage_unavailable', 'The disk failed. Linchpin is restarting.'],
}
