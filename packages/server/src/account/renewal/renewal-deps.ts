import type { Log } from '../../http/log.ts'
import type { ProtocolDeps } from '../../oauth/token/token-endpoint.ts'
import type { OAuthAppStore } from '../../oauth-app/oauth-app-store.ts'
import type { Database } from '../../storage/database.ts'
import type { Vault } from '../../vault/vault.ts'
import type { RunCheckDeps } from '../check/run-check.ts'
import type { RenewalStore } from './lease/renewal-store.ts'
import type { RenewalState } from './renewal-state.ts'

/** What keeping tokens fresh needs. */
export interface RenewalDeps extends ProtocolDeps, RunCheckDeps {
  readonly database: Database
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly renewals: RenewalStore
  readonly renewalState: RenewalState
  readonly log: Log
  /** Only tests of stalls set it. */
  readonly renewalTimes?: RenewalTimes
}

/** How long things may take, in milliseconds. */
export interface RenewalTimes {
  /** Longer than two requests to a provider. */
  readonly leaseMs: number
  /** One request to a provider. */
  readonly providerMs: number
  /** How long to wait for another who renews. */
  readonly waitMs: number
}

/** Of production. */
export const RENEWAL_TIMES: RenewalTimes = { leaseMs: 30_000, providerMs: 9_000, waitMs: 12_000 }
