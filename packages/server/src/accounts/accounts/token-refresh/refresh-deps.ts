import type { BundleStore } from '../../../integrations/definitions/bundle-store.ts'
import type { OAuthRequestDeps } from '../../../integrations/oauth/token/token-endpoint.ts'
import type { OAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import type { Log } from '../../../platform/http/log.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { RunCheckDeps } from '../verification/run-check.ts'
import type { RefreshCache } from './refresh-cache.ts'
import type { RefreshCounts } from './refresh-counts.ts'
import type { RefreshStore } from './refresh-store.ts'

/** Dependencies of token refresh. */
export interface RefreshDeps extends OAuthRequestDeps, RunCheckDeps {
  readonly database: Database
  readonly bundles: BundleStore
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly refreshStore: RefreshStore
  readonly refreshCache: RefreshCache
  readonly refreshCounts: Pick<RefreshCounts, 'add' | 'observePassedOver'>
  readonly log: Log
  /** Set by tests only; production uses `REFRESH_TIMEOUTS`. */
  readonly refreshTimeouts?: RefreshTimeouts
}

/** Time limits, in milliseconds. */
export interface RefreshTimeouts {
  /** How long a lease lasts: longer than two token requests. */
  readonly leaseMs: number
  /** Limit of one token request. */
  readonly providerMs: number
  /** How long to wait for a refresh by another request or node. */
  readonly waitMs: number
}

/** The time limits in production. */
export const REFRESH_TIMEOUTS: RefreshTimeouts = {
  leaseMs: 30_000,
  providerMs: 9_000,
  waitMs: 12_000,
}
