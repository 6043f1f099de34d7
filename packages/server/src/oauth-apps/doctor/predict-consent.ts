import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import type { OAuthAppCheck } from './oauth-app-report.ts'

/**
 * Tells how the request for consent will travel, and what will be kept of the way back. Nothing is asked: a pushed request
 * (RFC 9126) that nobody follows would only use up the provider's patience.
 */
export function predictConsent({ pushedRequestUrl, callbackParams }: OAuthType): OAuthAppCheck {
  const name = 'authorization_request'
  const storedParams =
    callbackParams.length === 0 ? '' : ` Kept of the way back: ${callbackParams.join(', ')}.`
  if (pushedRequestUrl === undefined)
    return {
      name,
      status: 'ok',
      message: `The browser carries the request for consent.${storedParams}`,
    }
  return {
    name,
    status: 'unknown',
    message: `The request for consent is pushed to the provider first. Only a connection shows whether it takes it from this client.${storedParams}`,
  }
}
