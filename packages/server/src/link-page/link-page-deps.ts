import type { ConnectDeps } from '../connect/connect-deps.ts'
import type { LinkCounters } from '../link/counters/link-counters.ts'
import type { CreateAccountThroughLinkDeps } from '../link/create-account-through-link.ts'
import type { VisitAttemptStore } from './attempt/visit-attempt-store.ts'
import type { LogoCache } from './logo/logo-cache.ts'
import type { SharedLinkStore } from './open/shared-link-store.ts'
import type { WaysReader } from './open/tools.ts'
import type { FailedChecks } from './send/failed-checks.ts'

/** What the connect page needs. */
export interface LinkPageDeps extends ConnectDeps, CreateAccountThroughLinkDeps {
  readonly sharedLinks: SharedLinkStore
  readonly visitAttempts: VisitAttemptStore
  readonly readWays: WaysReader
  readonly counters: Pick<LinkCounters, 'attempted' | 'opened' | 'refused' | 'succeeded'>
  readonly logos: LogoCache
  readonly failedChecks: FailedChecks
}
