/** The columns of an account whose credentials Linchpin does not refresh. */
export const NON_REFRESHABLE_DEFAULTS = {
  status: 'active',
  status_reason: null,
  oauth_app_id: null,
  token_expires_at: null,
  token_life_ms: null,
  sealed_headers: null,
  renew_at: null,
  renew_failures: 0,
  lease_owner: null,
  lease_until: null,
  renewal_sent_at: null,
  revoking_until: null,
  identity_id: null,
  confirm_hash: null,
  confirm_until: null,
} as const
