import type { DeleteAccountDeps } from '../../accounts/accounts/delete-account.ts'
import type { PortalAccountStore } from '../../accounts/accounts/portal-account-store.ts'
import type { SetAgentAccessDeps } from '../../accounts/agents/agent-access.ts'
import type { AgentSessionStore } from '../../accounts/agents/agent-session-store.ts'
import type { AuditStore } from '../../activity/audit/audit-store.ts'
import type { HourlyLimiter } from '../../platform/hourly-limiter.ts'
import type { CreateAccountThroughLinkDeps } from '../attempts/create-account-through-link.ts'
import type { SubmissionStore } from '../attempts/submission-store.ts'
import type { ConnectSessionId } from '../connect-sessions/connect-session.ts'
import type { VisitedSessionStore } from '../connect-sessions/connect-session-store.ts'
import type { LinkCounters } from '../links/link-counter-store.ts'
import type { SharedLinkStore } from '../links/link-store.ts'
import type { OAuthFlowDeps } from '../oauth-flow/oauth-flow-deps.ts'
import type { FailedCheckLimiter } from './failed-check-limiter.ts'
import type { AuthMethodReader } from './form/auth-method.ts'
import type { LogoCache } from './logo.ts'

/** The dependencies of the connect page. */
export interface ConnectPageDeps
  extends OAuthFlowDeps,
    CreateAccountThroughLinkDeps,
    DeleteAccountDeps {
  readonly accounts: OAuthFlowDeps['accounts'] & SetAgentAccessDeps['accounts']
  readonly portalAccounts: PortalAccountStore
  readonly agentSessions: Pick<AgentSessionStore, 'hasAny' | 'listUsed' | 'listOfCustomer' | 'end'>
  readonly audit: Pick<AuditStore, 'getRange' | 'list'>
  readonly sharedLinks: SharedLinkStore
  readonly visitedSessions: VisitedSessionStore
  readonly submissions: SubmissionStore
  readonly readAuthMethods: AuthMethodReader
  readonly counters: Pick<LinkCounters, 'attempted' | 'opened' | 'refused' | 'succeeded'>
  readonly logos: LogoCache
  readonly failedChecks: FailedCheckLimiter
  /** Each test of an OAuth app that is entered on a page sends a client ID and a secret to a provider. */
  readonly appTests: HourlyLimiter<ConnectSessionId>
}
