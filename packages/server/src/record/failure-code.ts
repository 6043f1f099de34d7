import { RunnerError } from '@linchpin/runner'
import { ApiError, type ErrorCode } from '../errors.ts'
import { STORAGE_API_ERRORS, StorageError } from '../storage/storage-error.ts'

/** The error code for a failed attempt to connect an account. */
export function failureCode(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code
  if (error instanceof StorageError) return STORAGE_API_ERRORS[error.kind]?.[0] ?? 'internal_error'
  if (!(error instanceof RunnerError)) return 'internal_error'
  return error.code === 'bundle_invalid' ? 'integration_failed' : error.code
}

/** The HTTP status of the provider's last response before an attempt failed; null if unknown. */
export function getProviderStatus(error: unknown): number | null {
  if (error instanceof RunnerError) return error.lastStatus ?? null
  if (!(error instanceof ApiError)) return null
  return (
    error.providerStatus ??
    (error.cause instanceof RunnerError ? getProviderStatus(error.cause) : null)
  )
}
