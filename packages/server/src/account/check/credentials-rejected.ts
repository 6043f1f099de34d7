import { ApiError, fieldError } from '../../errors.ts'
import type { CheckAnswer } from '../wire/check-answer.ts'

/** The integration did not accept a configuration. Pages for people tell more of its verdict than answers do. */
export class CredentialsRejected extends ApiError {
  readonly verdict: CheckAnswer

  constructor(verdict: CheckAnswer) {
    super('credentials_rejected', 'The provider did not accept these credentials.', {
      errors: fieldError('config', 'rejected', verdict.error),
    })
    this.verdict = verdict
  }
}
