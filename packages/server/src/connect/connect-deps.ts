import type { Gate } from '@linchpin/runner'
import type { ConnectAccountDeps } from '../account/connect-account.ts'
import type { Translate } from '../http/failures.ts'
import type { Log } from '../http/log.ts'
import type { LinkCounters } from '../link/counters/link-counters.ts'
import type { LinkStore } from '../link/link-store.ts'
import type { InTurn } from '../link/policy/turns.ts'
import type { OAuthAppStore } from '../oauth-app/oauth-app-store.ts'
import type { PublicAddress } from '../page/public-address.ts'
import type { TokenStore } from '../token/token-store.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import type { AfterAttempt } from './attempt/after-attempt.ts'
import type { AttemptStore } from './attempt/attempt-store.ts'
import type { PendingAccountStore } from './attempt/pending-account-store.ts'

/** What connecting by sign-in at a provider needs. */
export interface ConnectDeps extends ConnectAccountDeps {
  readonly gate: Gate
  readonly workspaces: WorkspaceStore
  readonly tokens: TokenStore
  readonly links: LinkStore
  readonly inTurn: InTurn
  readonly counters: Pick<LinkCounters, 'attempted' | 'succeeded' | 'refused'>
  readonly oauthApps: OAuthAppStore
  readonly attempts: AttemptStore
  readonly pendingAccounts: PendingAccountStore
  readonly afterAttempt: AfterAttempt
  /** The public base URL, without a slash at its end. */
  readonly baseUrl: () => string
  /** Where a page belongs that was requested under another loopback name. */
  readonly publicAddress: PublicAddress
  /** How failures of the service's parts are told. */
  readonly translate: Translate
  readonly log: Log
}
