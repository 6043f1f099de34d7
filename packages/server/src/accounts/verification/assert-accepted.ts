import { CredentialsRejectedError } from './credentials-rejected-error.ts'
import { type CheckOutcome, isUnreachable, providerUnavailableError } from './run-check.ts'

/** @throws ApiError `credentials_rejected`, or `provider_…` when the provider was not there to judge */
export function assertAccepted({ result, lastExchange }: CheckOutcome): void {
  if (result.status) return
  if (isUnreachable(lastExchange)) throw providerUnavailableError(lastExchange)
  throw new CredentialsRejectedError(result)
}
