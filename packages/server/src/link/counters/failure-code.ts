import { RunnerError } from '@linchpin/runner'
import { ApiError, type ErrorCode } from '../../errors.ts'

/** The code for whatever kept an account from being connected. */
export function failureCode(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code
  if (!(error instanceof RunnerError)) return 'internal_error'
  return error.code === 'bundle_invalid' ? 'integration_failed' : error.code
}
