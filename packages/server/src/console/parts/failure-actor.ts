/** Who can do something about a failed attempt to connect. */
export type FailureActor = 'customer' | 'team' | 'provider' | 'operator'

/** Who has to act after a failure with this code; undefined if the code does not say. */
export function findFailureActor(code: string): FailureActor | undefined {
  return ACTORS.get(code)
}

const CODES: Readonly<Record<FailureActor, readonly string[]>> = {
  customer: [
    'credentials_rejected',
    'access_denied',
    'admin_consent_granted',
    'already_connected',
    'identity_mismatch',
    'insufficient_scope',
    'needs_reauth',
    'oauth_attempt_invalid',
    'wrong_host',
  ],
  team: [
    'auth_type_not_allowed',
    'authorization_request_failed',
    'bundle_invalid',
    'client_required',
    'connect_session_ended',
    'integration_bad_output',
    'integration_definition_not_found',
    'integration_failed',
    'integration_limit',
    'integration_timeout',
    'link_expired',
    'link_full',
    'link_identifier_full',
    'link_revoked',
    'mcp_server_invalid',
    'oauth_app_missing',
    'oauth_app_secret_required',
    'oauth_confirm_invalid',
    'oauth_issuer_mismatch',
    'oauth_start_revoked',
    'redirect_url_not_allowed',
    'token_exchange_failed',
    'unknown_reference',
    'validation_failed',
  ],
  provider: ['circuit_open', 'provider_error', 'provider_timeout', 'rate_limited'],
  operator: [
    'egress_unavailable',
    'internal_error',
    'overloaded',
    'storage_full',
    'storage_unavailable',
  ],
}

const ACTORS = new Map(
  Object.entries(CODES).flatMap(([actor, codes]) =>
    codes.map((code) => [code, actor as FailureActor] as const),
  ),
)
