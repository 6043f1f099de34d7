import { RunnerError } from '@linchpin/runner'
import type { ErrorCode } from '../error-codes.ts'
import { ApiError } from '../errors.ts'
import { STORAGE_API_ERRORS, StorageError } from '../storage/storage-error.ts'
import type { ConnectAttempt } from './attempt.ts'

/** The error code for a failed attempt to connect an account. */
export function failureCode(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code
  if (error instanceof StorageError) return STORAGE_API_ERRORS[error.kind]?.[0] ?? 'internal_error'
  if (!(error instanceof RunnerError)) return 'internal_error'
  return error.code === 'bundle_invalid' ? 'integration_failed' : error.code
}

/** What is known of the provider's last response before an attempt failed. */
export function getProviderResponse(
  error: unknown,
): Required<Pick<ConnectAttempt, 'providerStatus' | 'providerRequestId'>> {
  if (error instanceof RunnerError)
    return {
      providerStatus: error.lastStatus ?? null,
      providerRequestId: error.lastRequestId ?? null,
    }
  if (!(error instanceof ApiError)) return { providerStatus: null, providerRequestId: null }
  const { providerStatus, providerRequestId = null, cause } = error
  if (providerStatus === undefined && cause instanceof RunnerError)
    return getProviderResponse(cause)
  return { providerStatus: providerStatus ?? null, providerRequestId }
}
