import { RunnerError } from '@linchpin/runner'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { ApiError, workspaceNotAccessible } from '../../platform/errors.ts'
import { STORAGE_API_ERRORS, StorageError } from '../../platform/storage/storage-error.ts'
import { VaultError } from '../../platform/vault/sealed-box.ts'

const RUNNER_ERRORS: Readonly<Record<RunnerError['code'], readonly [ErrorCode, string]>> = {
  bundle_invalid: ['integration_failed', 'The integration could not be loaded.'],
  integration_failed: ['integration_failed', 'The integration failed.'],
  integration_timeout: ['integration_timeout', 'The integration exceeded its time limit.'],
  integration_limit: ['integration_limit', 'The integration exceeded its resource limits.'],
  integration_bad_output: ['integration_bad_output', 'The integration returned an invalid result.'],
  overloaded: ['overloaded', 'Too many integrations are running. Try again in a moment.'],
}

/** Translates errors of the runner, of storage and of the vault to ApiErrors. Their details are logged as the cause. */
export function translateError(error: unknown): ApiError | undefined {
  // The workspace was deleted after the request had found it.
  if (error instanceof VaultError && error.kind === 'no_data_key') return workspaceNotAccessible()
  const mapped =
    error instanceof RunnerError
      ? RUNNER_ERRORS[error.code]
      : error instanceof StorageError
        ? STORAGE_API_ERRORS[error.kind]
        : undefined
  if (mapped === undefined) return undefined
  return new ApiError(mapped[0], mapped[1], { cause: error, headers: retryAfter(error) })
}

/** RFC 9110 section 10.2.3: whole seconds, rounded up. */
function retryAfter(error: unknown): Record<string, string> {
  const ms = error instanceof RunnerError ? error.retryAfterMs : undefined
  return ms === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) }
}
