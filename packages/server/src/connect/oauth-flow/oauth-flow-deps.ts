import type { EgressGateway } from '@linchpin/runner'
import type { TokenStore } from '../../access/tokens/token-store.ts'
import type { CreateAccountDeps } from '../../accounts/accounts/create-account.ts'
import type { PortalAccountStore } from '../../accounts/accounts/portal-account-store.ts'
import type { OAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import type { PublicUrlRedirect } from '../../platform/http/browser-request.ts'
import type { TranslateError } from '../../platform/http/error-handler.ts'
import type { Log } from '../../platform/http/log.ts'
import type { AttemptDeps } from '../attempts/attempt.ts'
import type { RunExclusive } from '../attempts/create-account-through-link.ts'
import type { VisitedSessionStore } from '../connect-sessions/connect-session-store.ts'
import type { LinkStore } from '../links/link-store.ts'
import type { ConfirmationStore } from './confirmation-store.ts'
import type { OAuthSessionStore } from './oauth-session-store.ts'

/** Dependencies of the OAuth flow. */
export interface OAuthFlowDeps extends CreateAccountDeps, AttemptDeps {
  readonly visitedSessions: VisitedSessionStore
  readonly egressGateway: EgressGateway
  readonly tokens: TokenStore
  readonly links: LinkStore
  readonly portalAccounts: PortalAccountStore
  readonly withLimitLock: RunExclusive
  readonly oauthApps: OAuthAppStore
  readonly oauthSessions: OAuthSessionStore
  readonly confirmations: ConfirmationStore
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** LINCHPIN_CLIENT_METADATA_URL. */
  readonly clientMetadataUrl?: string | undefined
  /** The origin of an emulator, where browsers go instead of a provider. */
  readonly emulator?: URL | undefined
  /** The canonical URL of a page that was requested under another loopback name. */
  readonly publicAddress: PublicUrlRedirect
  /** Translates errors of storage, vault and runner into API errors. */
  readonly translateError: TranslateError
  readonly log: Log
}
