import type { ErrorCode } from '../errors.ts'
import type { StorageErrorKind } from './storage-error.ts'

/** What refusals of the database mean to a caller, and what to tell. Those that are left out are failures of ours. */
export const STORAGE_API_ERRORS: Partial<Record<StorageErrorKind, readonly [ErrorCode, string]>> = {
  unavailable: ['storage_unavailable', 'The database does not answer now. Try again in a moment.'],
  full: ['storage_full', 'The disk is full, so nothing can be written. Reads go on.'],
  fatal: ['storage_unavailable', 'The disk failed. Linchpin is starting anew.'],
}
