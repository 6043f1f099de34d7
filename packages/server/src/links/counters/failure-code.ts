import { RunnerError } from '@linchpin/runner'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { STORAGE_API_ERRORS } from '../../storage/storage-api-errors.ts'
import { StorageError } from '../../storage/storage-error.ts'

/** The error code for a failed attempt to connect an account. */
export function failureCode(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code
  if (error instanceof StorageError) return STORAGE_API_ERRORS[error.kind]?.[0] ?? 'internal_error'
  if (!(error instanceof RunnerError)) return 'internal_error'
  return error.code === 'bundle_invalid' ? 'integration_failed' : error.code
}
