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

/**
 * The code of errors.md for a failure that an integration or an earlier version reported: integrations call refused credentials
 * `invalid_credentials`, which is `credentials_rejected` everywhere else. Others are unchanged.
 */
export function toFailureCode<Code extends string | null | undefined>(
  code: Code,
): Code | 'credentials_rejected' {
  return code === INTEGRATION_CODE ? 'credentials_rejected' : code
}

/** The codes under which attempts with a code are stored: earlier versions stored that of the integration. */
export function listStoredCodes(code: string): string[] {
  const current = toFailureCode(code)
  return current === 'credentials_rejected' ? [current, INTEGRATION_CODE] : [current]
}

const INTEGRATION_CODE = 'invalid_credentials'

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
