import type { EgressGateway, Runner } from '@linchpin/runner'
import { recordExpiringTokens } from '../../access/tokens/record-expiring-tokens.ts'
import { createTokenStore } from '../../access/tokens/token-store.ts'
import {
  createStoredResponseStore,
  startFillingResponses,
} from '../../accounts/accounts/stored-response-store.ts'
import { startRefreshLoop } from '../../accounts/accounts/token-refresh/background/refresh-scheduler.ts'
import {
  createRefreshCache,
  type RefreshCounts,
} from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import { createRefreshStore } from '../../accounts/accounts/token-refresh/refresh-store.ts'
import {
  createTokenLeaseStore,
  sweepRotations,
} from '../../accounts/accounts/verification/rotation-store.ts'

import {
  createAuditRetention,
  createAuditRetentionStore,
} from '../../activity/audit/audit-retention-store.ts'

import { createEventStore, deleteOldEvents } from '../../activity/events/event-store.ts'

import {
  createDeliveryCleanUpStore,
  deleteOldDeliveries,
} from '../../activity/webhooks/delivery-store.ts'

import {
  createAttemptStore,
  deleteOldAttempts,
  deleteOldConnectFailures,
} from '../../connect/attempts/attempt-store.ts'
import {
  createSubmissionStore,
  deleteOldSubmissions,
} from '../../connect/attempts/submission-store.ts'
import { createVisitedSessionStore } from '../../connect/connect-sessions/connect-session-store.ts'
import { endConnectSessions } from '../../connect/connect-sessions/record-connect-session-change.ts'
import { createLinkStore } from '../../connect/links/link-store.ts'
import { recordExpiredLinks } from '../../connect/links/record-link-change.ts'

import { cleanUpOAuth } from '../../connect/oauth-flow/clean-up-oauth.ts'
import { createConfirmationStore } from '../../connect/oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from '../../connect/oauth-flow/oauth-session-store.ts'
import { recordAvailableUpdates } from '../../integrations/catalogue/workspace-pins-store.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import { createOAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import type { Log } from '../../platform/http/log.ts'
import type { AttemptCounter } from '../../platform/record/attempt.ts'
import { createIdempotencyRetentionStore } from '../../platform/record/idempotency-retention-store.ts'
import { createCustomerAccountStore } from '../../privacy/erasure/customer-accounts-store.ts'
import { createCopyErasure, createErasureStore } from '../../privacy/erasure/erasure-store.ts'
import { startErasureLoop } from '../../privacy/erasure/resume-erasures.ts'
import {
  createRetentionStore,
  deleteAgedData,
  type RetentionDays,
} from '../../privacy/erasure/retention-store.ts'

import { createWorkspaceDeletionStore } from '../../privacy/erasure/workspace-deletion-store.ts'
import { deleteExpiredKeys } from '../idempotency/limit-stored-keys.ts'
import type { WorkMetrics } from '../observability/metrics/work-metrics.ts'
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
    erased_copies: createCopyErasure(deps),
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
