import type { EgressGateway, Runner } from '@linchpin/runner'
import { startFillingResponses } from '../accounts/fill-responses.ts'
import { createStoredResponseStore } from '../accounts/stored-response-store.ts'
import { createRefreshCache } from '../accounts/token-refresh/refresh-cache.ts'
import type { RefreshCounts } from '../accounts/token-refresh/refresh-counts.ts'
import { startRefreshLoop } from '../accounts/token-refresh/refresh-loop.ts'
import { createRefreshStore } from '../accounts/token-refresh/refresh-store.ts'
import { sweepRotations } from '../accounts/verification/rotation-store.ts'
import { createTokenLeaseStore } from '../accounts/verification/token-lease-store.ts'

import { createAttemptStore } from '../attempts/attempt-store.ts'
import { deleteOldAttempts } from '../attempts/delete-old-attempts.ts'
import { createAuditRetention } from '../audit/audit-retention.ts'
import { createAuditRetentionStore } from '../audit/audit-retention-store.ts'
import { recordAvailableUpdates } from '../catalogue/record-available-updates.ts'
import { endConnectSessions } from '../connect-sessions/end-connect-sessions.ts'
import { createVisitedSessionStore } from '../connect-sessions/visited-session-store.ts'
import { createBundleStore } from '../definitions/bundle-store.ts'
import { createCustomerAccountStore } from '../erasure/customer-accounts-store.ts'
import { deleteAgedData, type RetentionDays } from '../erasure/delete-aged-data.ts'
import { createErasureStore } from '../erasure/erasure-store.ts'
import { startErasureLoop } from '../erasure/resume-erasures.ts'
import { createRetentionStore } from '../erasure/retention-store.ts'
import { createWorkspaceDeletionStore } from '../erasure/workspace-deletion-store.ts'
import { deleteOldEvents } from '../events/delete-old-events.ts'
import { createEventStore } from '../events/event-store.ts'
import type { Log } from '../http/log.ts'
import { deleteExpiredKeys } from '../idempotency/delete-expired-keys.ts'
import { deleteOldConnectFailures } from '../links/connect-failure-store.ts'
import { createLinkStore } from '../links/link-store.ts'
import { recordExpiredLinks } from '../links/record-expired-links.ts'
import { deleteOldSubmissions } from '../links/submissions/delete-old-submissions.ts'
import { createSubmissionStore } from '../links/submissions/submission-store.ts'
import { createOAuthAppStore } from '../oauth-apps/oauth-app-store.ts'
import { cleanUpOAuth } from '../oauth-flow/cleanup/clean-up-oauth.ts'
import { createConfirmationStore } from '../oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from '../oauth-flow/oauth-session-store.ts'
import type { WorkMetrics } from '../observability/metrics/work-metrics.ts'
import type { AttemptCounter } from '../record/attempt.ts'
import { createIdempotencyRetentionStore } from '../record/idempotency-retention-store.ts'
import { recordExpiringTokens } from '../tokens/record-expiring-tokens.ts'
import { createTokenStore } from '../tokens/token-store.ts'
import { deleteOldDeliveries } from '../webhooks/delete-old-deliveries.ts'
import { createDeliveryCleanUpStore } from '../webhooks/delivery-clean-up-store.ts'
import type { CoreServices } from './open-services.ts'

/** What background jobs use. */
export interface BackgroundJobsDeps extends CoreServices {
  readonly egressGateway: EgressGateway
  readonly runner: Runner
  readonly attemptCounts: AttemptCounter
  readonly refreshCounts: RefreshCounts
  readonly log: Log
  readonly now: () => number
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** Maximum number of token requests of the background refresh at a time. */
  readonly refreshConcurrency: number
  /** How long events are retained. */
  readonly eventDays: number
  /** How long attempts to connect accounts are retained. */
  readonly attemptDays: number
  /** How long entries of the audit trail are retained; undefined: for ever. */
  readonly auditDays: number | undefined
  /** How long ended things are retained. */
  readonly retentionDays: RetentionDays
  readonly workMetrics: Pick<WorkMetrics, 'observeJob'>
}

/** What runs in the background. */
export interface BackgroundJobs {
  /** Starts no new work; resolves when the work in progress has completed. */
  stop(): Promise<void>
}

/** Refreshes tokens before they expire, deletes expired rows, and stores missing responses, until it is stopped. */
export function startBackgroundJobs({
  database,
  vault,
  egressGateway,
  runner,
  attemptCounts,
  refreshCounts,
  log,
  now,
  baseUrl,
  refreshConcurrency,
  eventDays,
  attemptDays,
  auditDays,
  retentionDays,
  workMetrics: { observeJob },
}: BackgroundJobsDeps): BackgroundJobs {
  const deps = {
    database,
    vault,
    egressGateway,
    runner,
    attemptCounts,
    refreshCounts,
    log,
    now,
    baseUrl,
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    refreshStore: createRefreshStore(database, now),
    refreshCache: createRefreshCache(),
    oauthSessions: createOAuthSessionStore(database),
    confirmations: createConfirmationStore(database),
    submissions: createSubmissionStore(database),
    links: createLinkStore(database),
    visitedSessions: createVisitedSessionStore(database),
    tokens: createTokenStore(database),
    erasures: createErasureStore(database),
    customerAccounts: createCustomerAccountStore(database),
    workspaceDeletions: createWorkspaceDeletionStore(database),
  }
  const events = createEventStore(database)
  const retention = createRetentionStore(database)
  const idempotencyKeys = createIdempotencyRetentionStore(database, now)
  const tokenLeases = createTokenLeaseStore(database, now)
  const sweeps = Object.entries({
    oauth_clean_up: () => cleanUpOAuth(deps),
    submissions: () => deleteOldSubmissions(deps),
    rotations: () => sweepRotations(database, now()),
    token_leases: () => tokenLeases.sweep(),
    events: () => deleteOldEvents({ events, now }, eventDays),
    attempts: () => deleteOldAttempts({ attempts: createAttemptStore(database), now }, attemptDays),
    audit_retention: createAuditRetention(
      { store: createAuditRetentionStore(database), now },
      auditDays,
    ),
    deliveries: () =>
      deleteOldDeliveries({ deliveries: createDeliveryCleanUpStore(database), now }),
    retention: () => deleteAgedData({ retention, now }, retentionDays),
    expired_links: () => recordExpiredLinks(deps),
    connect_sessions: () => endConnectSessions(deps),
    expiring_tokens: () => recordExpiringTokens(deps),
    available_updates: () => recordAvailableUpdates(deps),
    connect_failures: () => deleteOldConnectFailures(deps),
    idempotency_keys: () => deleteExpiredKeys(idempotencyKeys),
  }).map(([name, sweep]) => observeJob<unknown>(name, sweep))
  const jobs = [
    startRefreshLoop(deps, { sweeps, concurrency: refreshConcurrency, observeJob }),
    startErasureLoop(deps, observeJob),
    startFillingResponses(
      { storedResponses: createStoredResponseStore(database), log },
      { observeJob },
    ),
  ]
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
