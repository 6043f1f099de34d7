import type { ConnectDeps } from '../connect/connect-deps.ts'
import type { CreateAccountThroughLinkDeps } from '../link/create-account-through-link.ts'
import type { VisitAttemptStore } from './attempt/visit-attempt-store.ts'
import type { SharedLinkStore } from './open/shared-link-store.ts'
import type { ToolReader } from './open/tools.ts'

/** What the connect page counts, per link. Each returns at once. */
export interface LinkPageCounters {
  opened(linkId: string): void
  attempted(linkId: string): void
  succeeded(linkId: string): void
  refused(linkId: string, code: string): void
}

/** What the connect page needs. */
export interface LinkPageDeps extends ConnectDeps, CreateAccountThroughLinkDeps {
  readonly sharedLinks: SharedLinkStore
  readonly visitAttempts: VisitAttemptStore
  readonly readTool: ToolReader
  readonly counters: LinkPageCounters
}
