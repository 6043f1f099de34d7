/** Why the database refused; see `StorageError`. */
export type StorageErrorKind = 'unique' | 'unavailable' | 'full' | 'fatal' | 'corrupt'

/**
 * A refusal of the database that callers act on, alike on SQLite and PostgreSQL.
 *
 * - `unique`: a value is taken; `constraint` says which, as `table(column, column)`.
 * - `unavailable`: not reachable, too busy or too slow right now; nothing is known to be written.
 * - `full`: no space left; reads go on.
 * - `fatal`: the disk failed in the middle of a commit; the process must exit and start anew.
 * - `corrupt`: the file is damaged or no database.
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

/** What a StorageError may know beyond its kind. */
export interface StorageErrorDetails {
  cause?: unknown
  constraint?: string | undefined
}

/** The database was written by a newer Linchpin than this one; nothing was changed. */
export class StorageVersionError extends Error {
  override readonly name = 'StorageVersionError'
}

/** Another Linchpin serves from the same database file. */
export class StorageInUseError extends Error {
  override readonly name = 'StorageInUseError'
}
