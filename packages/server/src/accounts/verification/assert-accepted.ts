import { ApiError, fieldError } from '../../errors.ts'
import type { CheckResponse } from '../schemas/check-response.ts'
import { type CheckOutcome, isUnreachable, providerUnavailableError } from './run-check.ts'

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
