import type { AccountUpdate } from '../account.ts'

/** The state of an account whose credentials Linchpin does not refresh. */
export const NON_REFRESHABLE_DEFAULTS = {
  status: 'active',
  statusReason: null,
  oauthAppId: null,
  tokenExpiresAt: null,
  tokenTtlMs: null,
  sealedHeaders: null,
  refreshAt: null,
  refreshFailures: 0,
  leaseOwner: null,
  leaseUntil: null,
  refreshSentAt: null,
  tokenHost: null,
  revokingUntil: null,
  identityId: null,
  identityLabel: null,
  confirmHash: null,
  confirmUntil: null,
} as const satisfies AccountUpdate
