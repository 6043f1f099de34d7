import {
  BUNDLE_ERRORS,
  CHECK_ERRORS,
  DOWNLOAD_ERRORS,
  GRANT_ERRORS,
  LINK_ERRORS,
  PROXY_ERRORS,
} from '../../access/operations/operation-errors.ts'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { OPERATIONS } from '../operations.ts'

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

/** What an operation may answer besides the codes of every request of its kind, by `operationId`. */
export const OPERATION_CODES: Readonly<Record<string, readonly ErrorCode[]>> = {
  ...Object.fromEntries(OPERATIONS.map(({ id, errors }) => [id, errors])),
  createAccount: [...CHECK_ERRORS, 'credentials_rejected', 'unknown_reference'],
  importAccount: [
    ...CHECK_ERRORS,
    'credentials_rejected',
    'unknown_reference',
    'oauth_app_missing',
    'oauth_app_secret_required',
  ],
  checkAccount: [...CHECK_ERRORS, 'unknown_reference'],
  updateAccount: [
    ...(['integration_account_not_found', ...CHECK_ERRORS, 'credentials_rejected'] as const),
    ...(['oauth_app_secret_required', 'needs_reauth', 'account_pending'] as const),
  ],
  deleteAccount: ['integration_account_not_found'],
  getAccount: ['integration_account_not_found'],
  listAccountHistory: ['integration_account_not_found'],
  getAccountCredentials: GRANT_ERRORS,
  sendProxyRequest: PROXY_ERRORS,
  proxyGet: PROXY_ERRORS,
  proxyPost: [...PROXY_ERRORS, 'body_too_large'],
  proxyPut: [...PROXY_ERRORS, 'body_too_large'],
  proxyPatch: [...PROXY_ERRORS, 'body_too_large'],
  proxyDelete: [...PROXY_ERRORS, 'body_too_large'],
  startOAuth: [
    ...(['unknown_reference', 'auth_type_not_allowed', 'oauth_app_missing'] as const),
    ...(['oauth_app_secret_required', 'redirect_url_not_allowed', 'secret_required'] as const),
    ...LINK_ERRORS,
    ...BUNDLE_ERRORS,
  ],
  confirmOAuth: [
    'oauth_confirm_invalid',
    'oauth_start_revoked',
    'identity_mismatch',
    ...LINK_ERRORS,
  ],
  createConnectSession: [
    ...(['unknown_reference', 'redirect_url_not_allowed', 'connect_session_limit'] as const),
    ...(['link_expired', 'link_revoked', ...BUNDLE_ERRORS] as const),
  ],
  getConnectSession: ['connect_session_not_found'],
  deleteConnectSession: ['connect_session_not_found'],
  confirmConnectSession: [
    ...(['connect_session_not_found', 'oauth_confirm_invalid', 'identity_mismatch'] as const),
    ...LINK_ERRORS,
  ],
  upgradeDefinition: [
    ...(['integration_definition_not_found', 'unknown_reference', 'bundle_changed'] as const),
    ...DOWNLOAD_ERRORS,
  ],
  rollbackDefinition: ['integration_definition_not_found', 'nothing_to_roll_back'],
  previewDefinition: [
    ...(['integration_definition_not_found', 'unknown_reference', 'bundle_changed'] as const),
    ...DOWNLOAD_ERRORS,
    'preview_running',
  ],
  getDefinitionPreview: ['integration_definition_not_found', 'preview_not_found'],
  createWorkspace: ['already_exists'],
  updateWorkspace: ['workspace_not_found', 'already_exists'],
  createUser: ['already_exists'],
  createToken: ['unknown_reference'],
  deleteToken: ['token_not_found'],
}
