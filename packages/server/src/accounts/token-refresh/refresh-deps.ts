import type { Log } from '../../http/log.ts'
import type { OAuthRequestDeps } from '../../oauth/token/token-endpoint.ts'
import type { OAuthAppStore } from '../../oauth-apps/oauth-app-store.ts'
import type { Database } from '../../storage/database.ts'
import type { Vault } from '../../vault/vault.ts'
import type { RunCheckDeps } from '../verification/run-check.ts'
import type { RefreshCache } from './refresh-cache.ts'
import type { RefreshStore } from './refresh-store.ts'

/** What keeping tokens fresh needs. */
export interface RefreshDeps extends OAuthRequestDeps, RunCheckDeps {
  readonly database: Database
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly refreshStore: RefreshStore
  readonly refreshCache: RefreshCache
  readonly log: Log
  /** Only tests of stalls set it. */
  readonly refreshTimeouts?: RefreshTimeouts
}

/** How long things may take, in milliseconds. */
export interface RefreshTimeouts {
  /** Longer than two requests to a provider. */
  readonly leaseMs: number
  /** One request to a provider. */
  readonly providerMs: number
  /** How long to wait for another who renews. */
  readonly waitMs: number
}

/** Of production. */
export const REFRESH_TIMEOUTS: RefreshTimeouts = {
  leaseMs: 30_000,
  providerMs: 9_000,
  waitMs: 12_000,
}
