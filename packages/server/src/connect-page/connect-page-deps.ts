import type { LinkCounters } from '../links/counters/link-counters.ts'
import type { CreateAccountThroughLinkDeps } from '../links/create-account-through-link.ts'
import type { OAuthFlowDeps } from '../oauth-flow/oauth-flow-deps.ts'
import type { AuthMethodReader } from './load/integration-option.ts'
import type { SharedLinkStore } from './load/shared-link-store.ts'
import type { LogoCache } from './logo/logo-cache.ts'
import type { SubmissionStore } from './submission/submission-store.ts'
import type { FailedCheckLimiter } from './submit/failed-check-limiter.ts'

/** What the connect page needs. */
export interface ConnectPageDeps extends OAuthFlowDeps, CreateAccountThroughLinkDeps {
  readonly sharedLinks: SharedLinkStore
  readonly submissions: SubmissionStore
  readonly readAuthMethods: AuthMethodReader
  readonly counters: Pick<LinkCounters, 'attempted' | 'opened' | 'refused' | 'succeeded'>
  readonly logos: LogoCache
  readonly failedChecks: FailedCheckLimiter
}
