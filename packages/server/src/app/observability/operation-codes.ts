import {
  BUNDLE_ERRORS,
  DOWNLOAD_ERRORS,
  PROVIDER_ERRORS,
} from '../../access/operations/operation-errors.ts'
import { FORWARDED_OPERATIONS } from '../../accounts/proxy/routes.ts'
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
  ...Object.fromEntries(
    [...OPERATIONS, ...FORWARDED_OPERATIONS].map(({ id, errors }) => [id, errors]),
  ),
  createDefinition: ['already_exists', ...DOWNLOAD_ERRORS],
  getDefinition: ['integration_definition_not_found'],
  getDefinitionSpec: ['integration_definition_not_found'],
  deleteDefinition: [
    ...(['integration_definition_not_found', 'definition_in_use'] as const),
    'definition_from_catalogue',
  ],
  setDefinitionIcon: ['integration_definition_not_found'],
  createOAuthApp: [
    'already_exists',
    'auth_type_not_allowed',
    'unknown_reference',
    ...BUNDLE_ERRORS,
  ],
  getOAuthApp: ['oauth_app_not_found'],
  updateOAuthApp: ['oauth_app_not_found', 'oauth_app_secret_required', ...BUNDLE_ERRORS],
  deleteOAuthApp: ['oauth_app_not_found', 'oauth_app_in_use'],
  testOAuthApp: ['oauth_app_not_found', 'oauth_app_secret_required', ...PROVIDER_ERRORS],
  deleteWorkspace: ['workspace_not_found'],
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
