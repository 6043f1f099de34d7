import type { ErrorCode } from '../../platform/error-codes.ts'

/** Error codes that several operations have in common, besides those of every request. First: running an integration's code. */
export const BUNDLE_ERRORS = [
  'integration_failed',
  'integration_timeout',
  'integration_limit',
  'integration_bad_output',
] as const satisfies readonly ErrorCode[]

/** Requests to a provider by an integration's code. */
export const PROVIDER_ERRORS = [
  ...BUNDLE_ERRORS,
  'provider_error',
  'provider_timeout',
  'egress_unavailable',
  'circuit_open',
] as const satisfies readonly ErrorCode[]

/** Verifying credentials. */
export const CHECK_ERRORS = [
  ...PROVIDER_ERRORS,
  'auth_type_not_allowed',
  'secret_required',
  'refresh_in_progress',
] as const satisfies readonly ErrorCode[]

/** Connecting an account through a link. */
export const LINK_ERRORS = [
  'link_expired',
  'link_revoked',
  'link_full',
  'link_identifier_full',
] as const satisfies readonly ErrorCode[]

/** Using an account's credentials. */
export const GRANT_ERRORS = [
  ...PROVIDER_ERRORS,
  'integration_account_not_found',
  'account_pending',
  'needs_reauth',
  'oauth_app_missing',
  'oauth_app_secret_required',
  'refresh_in_progress',
] as const satisfies readonly ErrorCode[]

/** Requests through an account. */
export const PROXY_ERRORS = [
  ...GRANT_ERRORS,
  'proxy_unavailable',
  'proxy_target_not_allowed',
] as const satisfies readonly ErrorCode[]

/** Downloading and loading a bundle. */
export const DOWNLOAD_ERRORS = [
  'source_url_forbidden',
  'source_unreachable',
  'source_too_large',
  'bundle_invalid',
  'integration_timeout',
  'integration_limit',
  'integration_failed',
] as const satisfies readonly ErrorCode[]
