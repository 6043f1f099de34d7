import type { ErrorCode } from '../../platform/error-codes.ts'

/** Any request. */
export const COMMON_CODES: readonly ErrorCode[] = [
  ...(['malformed_request', 'invalid_parameter', 'token_missing', 'token_invalid'] as const),
  ...(['insufficient_scope', 'workspace_not_accessible', 'request_timeout'] as const),
  ...(['uri_too_long', 'expectation_failed', 'rate_limited', 'headers_too_large'] as const),
  ...(['internal_error', 'overloaded', 'shutting_down', 'storage_unavailable'] as const),
]

/** A request that changes something. */
export const WRITE_CODES: readonly ErrorCode[] = ['concurrent_update', 'storage_full']

/** A request with a body. */
export const BODY_CODES: readonly ErrorCode[] = [
  ...(['malformed_json', 'validation_failed', 'body_too_large', 'unsupported_media_type'] as const),
  'too_many_values',
]

/** A request that may have an `Idempotency-Key`. */
export const KEYED_CODES: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'idempotency_key_reused',
]

const BUNDLE_CODES = [
  ...(['integration_failed', 'integration_timeout', 'integration_limit'] as const),
  'integration_bad_output',
] as const
const PROVIDER_CODES = [
  ...BUNDLE_CODES,
  ...(['provider_error', 'provider_timeout', 'egress_unavailable', 'circuit_open'] as const),
] as const
const CHECK_CODES = [
  ...PROVIDER_CODES,
  ...(['auth_type_not_allowed', 'secret_required', 'renewal_in_progress'] as const),
] as const
const LINK_CODES = [
  ...(['link_expired', 'link_revoked', 'link_full', 'link_identifier_full'] as const),
] as const
const GRANT_CODES = [
  ...PROVIDER_CODES,
  ...(['integration_account_not_found', 'account_pending', 'needs_reauth'] as const),
  ...(['oauth_app_missing', 'oauth_app_secret_required', 'renewal_in_progress'] as const),
] as const
const PROXY_CODES = [...GRANT_CODES, 'proxy_unavailable', 'proxy_target_not_allowed'] as const
const DOWNLOAD_CODES = [
  ...([
    'source_url_forbidden',
    'source_unreachable',
    'source_too_large',
    'bundle_invalid',
  ] as const),
  ...(['integration_timeout', 'integration_limit', 'integration_failed'] as const),
] as const

/** What an operation may answer besides the codes of every request of its kind, by `operationId`. */
export const OPERATION_CODES: Readonly<Record<string, readonly ErrorCode[]>> = {
  createAccount: [...CHECK_CODES, 'credentials_rejected', 'unknown_reference'],
  importAccount: [
    ...CHECK_CODES,
    'credentials_rejected',
    'unknown_reference',
    'oauth_app_missing',
    'oauth_app_secret_required',
  ],
  createAccountThroughLink: [
    ...(['link_not_found', ...LINK_CODES, ...CHECK_CODES, 'credentials_rejected'] as const),
    'unknown_reference',
  ],
  checkAccount: [...CHECK_CODES, 'unknown_reference'],
  updateAccount: [
    ...(['integration_account_not_found', ...CHECK_CODES, 'credentials_rejected'] as const),
    ...(['oauth_app_secret_required', 'needs_reauth', 'account_pending'] as const),
  ],
  deleteAccount: ['integration_account_not_found'],
  getAccount: ['integration_account_not_found'],
  listAccountHistory: ['integration_account_not_found'],
  getAccountCredentials: GRANT_CODES,
  sendProxyRequest: PROXY_CODES,
  proxyGet: PROXY_CODES,
  proxyPost: [...PROXY_CODES, 'body_too_large'],
  proxyPut: [...PROXY_CODES, 'body_too_large'],
  proxyPatch: [...PROXY_CODES, 'body_too_large'],
  proxyDelete: [...PROXY_CODES, 'body_too_large'],
  startOAuth: [
    ...(['unknown_reference', 'auth_type_not_allowed', 'oauth_app_missing'] as const),
    ...(['oauth_app_secret_required', 'redirect_url_not_allowed', 'secret_required'] as const),
    ...LINK_CODES,
    ...BUNDLE_CODES,
  ],
  confirmOAuth: [
    'oauth_confirm_invalid',
    'oauth_start_revoked',
    'identity_mismatch',
    ...LINK_CODES,
  ],
  createConnectSession: [
    ...(['unknown_reference', 'redirect_url_not_allowed', 'connect_session_limit'] as const),
    ...(['link_expired', 'link_revoked', ...BUNDLE_CODES] as const),
  ],
  getConnectSession: ['connect_session_not_found'],
  deleteConnectSession: ['connect_session_not_found'],
  confirmConnectSession: [
    ...(['connect_session_not_found', 'oauth_confirm_invalid', 'identity_mismatch'] as const),
    ...LINK_CODES,
  ],
  createDefinition: ['already_exists', ...DOWNLOAD_CODES],
  getDefinition: ['integration_definition_not_found'],
  getDefinitionSpec: ['integration_definition_not_found'],
  deleteDefinition: [
    ...(['integration_definition_not_found', 'definition_in_use'] as const),
    'definition_from_catalogue',
  ],
  upgradeDefinition: [
    ...(['integration_definition_not_found', 'unknown_reference', 'bundle_changed'] as const),
    ...DOWNLOAD_CODES,
  ],
  rollbackDefinition: ['integration_definition_not_found', 'nothing_to_roll_back'],
  setDefinitionIcon: ['integration_definition_not_found'],
  previewDefinition: [
    ...(['integration_definition_not_found', 'unknown_reference', 'bundle_changed'] as const),
    ...DOWNLOAD_CODES,
    'preview_running',
  ],
  getDefinitionPreview: ['integration_definition_not_found', 'preview_not_found'],
  createLink: ['unknown_reference'],
  getLink: ['link_not_found'],
  updateLink: ['link_not_found', 'link_revoked'],
  deleteLink: ['link_not_found'],
  createOAuthApp: ['already_exists', 'auth_type_not_allowed', 'unknown_reference', ...BUNDLE_CODES],
  getOAuthApp: ['oauth_app_not_found'],
  updateOAuthApp: ['oauth_app_not_found', 'oauth_app_secret_required', ...BUNDLE_CODES],
  deleteOAuthApp: ['oauth_app_not_found', 'oauth_app_in_use'],
  testOAuthApp: ['oauth_app_not_found', 'oauth_app_secret_required', ...PROVIDER_CODES],
  createWorkspace: ['already_exists'],
  updateWorkspace: ['workspace_not_found', 'already_exists'],
  deleteWorkspace: ['workspace_not_found'],
  createUser: ['already_exists'],
  createToken: ['unknown_reference'],
  deleteToken: ['token_not_found'],
  listEvents: ['events_gone'],
  getEvent: ['event_not_found'],
  createWebhookEndpoint: ['webhook_url_forbidden', 'webhook_endpoint_limit', 'unknown_reference'],
  getWebhookEndpoint: ['webhook_endpoint_not_found'],
  updateWebhookEndpoint: [
    'webhook_endpoint_not_found',
    'webhook_url_forbidden',
    'unknown_reference',
    'secret_required',
  ],
  deleteWebhookEndpoint: ['webhook_endpoint_not_found'],
  rotateWebhookSecret: ['webhook_endpoint_not_found'],
  testWebhookEndpoint: ['webhook_endpoint_not_found', 'egress_unavailable'],
  listWebhookDeliveries: ['webhook_endpoint_not_found'],
  getWebhookDelivery: ['webhook_endpoint_not_found', 'event_not_found'],
  replayWebhookEvents: ['webhook_endpoint_not_found', 'unknown_reference', 'events_gone'],
}
