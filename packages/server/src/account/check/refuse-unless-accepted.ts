import { CredentialsRejected } from './credentials-rejected.ts'
import { type CheckOutcome, isUnreachable, providerFailure } from './run-check.ts'

/** @throws ApiError `credentials_rejected`, or `provider_…` when the provider was not there to judge */
export function refuseUnlessAccepted({ answer, lastExchange }: CheckOutcome): void {
  if (answer.status) return
  if (isUnreachable(lastExchange)) throw providerFailure(lastExchange)
  throw new CredentialsRejected(answer)
}
