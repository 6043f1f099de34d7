import type { ErrorCode } from '../errors.ts'
import type { StorageErrorKind } from './storage-error.ts'

/** The error code and message for storage errors that callers can handle. All others become `internal_error`. */
export const STORAGE_API_ERRORS: Partial<Record<StorageErrorKind, readonly [ErrorCode, string]>> = {
  unavailable: ['storage_unavailable', 'The database is not responding. Try again in a moment.'],
  full: ['storage_full', 'The disk is full, so nothing can be written. Reads still work.'],
  fatal: ['storage_unavailable', 'The disk failed. Linchpin is restarting.'],
}
