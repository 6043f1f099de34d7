import { ApiError, fieldError } from '../../errors.ts'
import type { CheckResponse } from '../schemas/check-response.ts'

/** The integration did not accept a configuration. Pages for people tell more of its verdict than answers do. */
export class CredentialsRejectedError extends ApiError {
  readonly checkResult: CheckResponse

  constructor(checkResult: CheckResponse) {
    super('credentials_rejected', 'The provider did not accept these credentials.', {
      errors: fieldError('config', 'rejected', checkResult.error),
    })
    this.checkResult = checkResult
  }
}
