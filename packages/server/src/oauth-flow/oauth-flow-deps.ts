import type { EgressGateway } from '@linchpin/runner'
import type { CreateAccountDeps } from '../accounts/create-account.ts'
import type { TranslateError } from '../http/error-handler.ts'
import type { Log } from '../http/log.ts'
import type { PublicUrlRedirect } from '../http/requested-host.ts'
import type { LinkCounters } from '../links/counters/link-counters.ts'
import type { RunExclusive } from '../links/create-account-through-link.ts'
import type { LinkStore } from '../links/link-store.ts'
import type { OAuthAppStore } from '../oauth-apps/oauth-app-store.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import type { ConfirmationStore } from './confirmation-store.ts'
import type { OAuthSessionStore } from './oauth-session-store.ts'
import type { OAuthSession } from './session/oauth-session.ts'

/** Dependencies of the OAuth flow. */
export interface OAuthFlowDeps extends CreateAccountDeps {
  readonly egressGateway: EgressGateway
  readonly tokens: TokenStore
  readonly links: LinkStore
  readonly withLimitLock: RunExclusive
  readonly counters: Pick<LinkCounters, 'attempted' | 'succeeded' | 'refused'>
  readonly oauthApps: OAuthAppStore
  readonly oauthSessions: OAuthSessionStore
  readonly confirmations: ConfirmationStore
  readonly sessionHooks: SessionHooks
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** The canonical URL of a page that was requested under another loopback name. */
  readonly publicAddress: PublicUrlRedirect
  /** Translates errors of storage, vault and runner into API errors. */
  readonly translateError: TranslateError
  readonly log: Log
}

/** How an OAuth session finished: with an account or an error. */
export type SessionResult =
  | { readonly accountId: string }
  | {
      /** An error code, or `other_browser`. */
      readonly code: string
      /** The integration's hint on how to fix it. */
      readonly hint?: string | undefined
    }

/** Called when a session finishes. The connect page implements them for the sessions that it started. */
export interface SessionHooks {
  /** Runs in the transaction that finishes the session, so that the page and the session never disagree. */
  onFinish(trx: Transaction, session: OAuthSession, result: SessionResult): Promise<void>
  /** Where the user continues; undefined when the session was not started on the connect page. */
  returnUrl(session: OAuthSession): Promise<string | undefined>
}
