import { ApiError, fieldError } from '../../errors.ts'
import type { PreparedConfig } from '../credentials/prepare-config.ts'
import type { CheckResponse } from '../schemas/check-response.ts'
import {
  type CheckConfigDeps,
  type CheckConfigOptions,
  type CheckedConfig,
  checkConfig,
} from './check-config.ts'
import { type CheckOutcome, isUnreachable, providerUnavailableError } from './run-check.ts'

/**
 * Verifies a configuration by CHECK, then runs `onVerified` while no other request can use its refresh tokens.
 *
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`, `integration_bad_output`,
 * `renewal_in_progress`; RunnerError; what `onVerified` throws
 */
export function verifyCredentials<T>(
  deps: CheckConfigDeps,
  workspaceId: string,
  prepared: PreparedConfig,
  onVerified: (verified: CheckedConfig) => Promise<T>,
  options: CheckConfigOptions,
): Promise<T> {
  const onChecked = async (checked: CheckedConfig) => {
    assertAccepted(checked.outcome)
    return onVerified(checked)
  }
  return checkConfig(deps, workspaceId, prepared, onChecked, options)
}

/**
 * Throws unless CHECK accepted the credentials.
 *
 * @throws CredentialsRejectedError; ApiError `provider_…` if the provider was unreachable
 */
export function assertAccepted({ result, lastExchange }: CheckOutcome): void {
  if (result.status) return
  if (isUnreachable(lastExchange)) throw providerUnavailableError(lastExchange)
  throw new CredentialsRejectedError(result)
}

/**
 * CHECK rejected a configuration. `checkResult` has details that the error response omits and the connect page shows.
 */
export class CredentialsRejectedError extends ApiError {
  readonly checkResult: CheckResponse

  constructor(checkResult: CheckResponse) {
    super('credentials_rejected', 'The provider did not accept these credentials.', {
      errors: fieldError('config', 'rejected', checkResult.error),
    })
    this.checkResult = checkResult
  }
}
