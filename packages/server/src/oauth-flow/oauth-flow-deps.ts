import type { EgressGateway } from '@linchpin/runner'
import type { InsertAccountDeps } from '../accounts/insert-account.ts'
import type { VerifyAccountDeps } from '../accounts/verify-account.ts'
import type { TranslateError } from '../http/error-handler.ts'
import type { Log } from '../http/log.ts'
import type { LinkCounters } from '../links/counters/link-counters.ts'
import type { RunExclusive } from '../links/limit-lock.ts'
import type { LinkStore } from '../links/link-store.ts'
import type { OAuthAppStore } from '../oauth-apps/oauth-app-store.ts'
import type { OAuthAttemptRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import type { PublicUrlRedirect } from '../ui/public-url-redirect.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { OAuthSessionStore } from './oauth-session-store.ts'
import type { PendingAccountStore } from './pending-account-store.ts'

/** What connecting by sign-in at a provider needs. */
export interface OAuthFlowDeps extends VerifyAccountDeps, InsertAccountDeps {
  readonly egressGateway: EgressGateway
  readonly workspaces: WorkspaceStore
  readonly tokens: TokenStore
  readonly links: LinkStore
  readonly withLimitLock: RunExclusive
  readonly counters: Pick<LinkCounters, 'attempted' | 'succeeded' | 'refused'>
  readonly oauthApps: OAuthAppStore
  readonly oauthSessions: OAuthSessionStore
  readonly pendingAccounts: PendingAccountStore
  readonly sessionHooks: SessionHooks
  /** The public base URL, without a slash at its end. */
  readonly baseUrl: () => string
  /** Where a page belongs that was requested under another loopback name. */
  readonly publicAddress: PublicUrlRedirect
  /** How failures of the service's parts are told. */
  readonly translateError: TranslateError
  readonly log: Log
}

/** How an attempt ended: with an account, or for a reason. */
export type SessionResult =
  | { readonly accountId: string }
  | {
      /** An error code, or `other_browser`. */
      readonly code: string
      /** What to do about it, in the integration's words. */
      readonly hint?: string | undefined
    }

/** The page that people begin attempts on, if there is one. It decides itself which attempts are its own. */
export interface SessionHooks {
  /** Runs in the transaction that ends the attempt, so that page and attempt always tell the same. */
  onFinish(trx: Transaction, session: OAuthAttemptRow, result: SessionResult): Promise<void>
  /** Where the person goes on; undefined when the attempt was not begun on that page. */
  returnUrl(session: OAuthAttemptRow): Promise<string | undefined>
}
