import type { EgressGateway, Runner } from '@linchpin/runner'
import { recordExpiringTokens } from '../../access/tokens/record-expiring-tokens.ts'
import { createTokenStore } from '../../access/tokens/token-store.ts'
import { createWorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { createAccountStore } from '../../accounts/accounts/account-store.ts'
import { fillScopes } from '../../accounts/accounts/fill-scopes.ts'
import { createHealthFill } from '../../accounts/accounts/health/health-fill-store.ts'
import {
  createStoredResponseStore,
  startFillingResponses,
} from '../../accounts/accounts/stored-response-store.ts'
import { startRefreshRounds } from '../../accounts/accounts/token-refresh/background/refresh-scheduler.ts'
import { startCheckRounds } from '../../accounts/accounts/token-refresh/checks/check-loop.ts'
import { createCheckStore } from '../../accounts/accounts/token-refresh/checks/check-store.ts'
import {
  createRefreshCache,
  type RefreshCounts,
} from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import { createRefreshStore } from '../../accounts/accounts/token-refresh/refresh-store.ts'
import {
  createTokenLeaseStore,
  sweepRotations,
} from '../../accounts/accounts/verification/rotation-store.ts'
import { createAgentApprovalStore } from '../../accounts/agents/agent-approval-store.ts'
import { createOAuthServerRecordStore } from '../../accounts/agents/oauth-server-record-store.ts'
import { createSignInRequestStore } from '../../accounts/agents/sign-in-request-store.ts'
import { createMcpToolStore } from '../../accounts/mcp-client/mcp-tool-store.ts'
import {
  createAuditRetention,
  createAuditRetentionStore,
} from '../../activity/audit/audit-retention-store.ts'
import { createEventStore } from '../../activity/events/event-store.ts'
import {
  createDebugWindowStore,
  EXCHANGE_AGE_MS,
} from '../../activity/requests/debug-window-store.ts'
import {
  createRequestRetention,
  createRequestRetentionStore,
} from '../../activity/requests/request-log-store.ts'
import type { StatisticsCounter } from '../../activity/statistics/statistics.ts'
import { deleteOldStatistics } from '../../activity/statistics/statistics-store.ts'
import {
  createDeliveryCleanUpStore,
  deleteOldDeliveries,
} from '../../activity/webhooks/delivery-store.ts'
import {
  createAttemptStore,
  deleteOldConnectFailures,
} from '../../connect/attempts/attempt-store.ts'
import {
  createSubmissionStore,
  SUBMISSION_RETENTION_MS,
} from '../../connect/attempts/submission-store.ts'
import { createBulkJobStore } from '../../connect/bulk-jobs/bulk-job-store.ts'
import { startResumingBulkJobs } from '../../connect/bulk-jobs/run-bulk-job.ts'
import {
  createConnectSessionStore,
  createVisitedSessionStore,
} from '../../connect/connect-sessions/connect-session-store.ts'
import { endConnectSessions } from '../../connect/connect-sessions/record-connect-session-change.ts'
import { createLinkStore } from '../../connect/links/link-store.ts'
import { recordExpiredLinks } from '../../connect/links/record-link-change.ts'
import { cleanUpOAuth } from '../../connect/oauth-flow/clean-up-oauth.ts'
import { createConfirmationStore } from '../../connect/oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from '../../connect/oauth-flow/oauth-session-store.ts'
import { endOldSignIns } from '../../console/sign-in/end-old-sign-ins.ts'
import { createSignInRetentionStore } from '../../console/sign-in/sign-in-retention-store.ts'
import { recordAvailableUpdates } from '../../integrations/catalogue/workspace-pins-store.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import { createDefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { createOAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import { type Log, runJob } from '../../platform/http/log.ts'
import type { AttemptCounter } from '../../platform/record/attempt.ts'
import { createIdempotencyRetentionStore } from '../../platform/record/idempotency-retention-store.ts'
import { inBatches, startSweeps } from '../../platform/rounds.ts'
import { createCustomerAccountStore } from '../../privacy/erasure/customer-accounts-store.ts'
import { createCopyErasure, createErasureStore } from '../../privacy/erasure/erasure-store.ts'
import { startResumingErasures } from '../../privacy/erasure/resume-erasures.ts'
import {
  createRetentionStore,
  deleteAgedData,
  type RetentionDays,
} from '../../privacy/erasure/retention-store.ts'
import { createWorkspaceDeletionStore } from '../../privacy/erasure/workspace-deletion-store.ts'
import { translateError } from '../app-services.ts'
import type { WorkMetrics } from '../observability/metrics/work-metrics.ts'
import type { CoreServices } from './open-services.ts'

/** What background jobs use. */
export interface BackgroundJobsDeps extends CoreServices {
  readonly egressGateway: EgressGateway
  readonly runner: Runner
  readonly attemptCounts: AttemptCounter
  readonly refreshCounts: RefreshCounts
  readonly statistics?: StatisticsCounter | undefined
  readonly log: Log
  readonly now: () => number
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** Maximum number of token requests of the background refresh at a time. */
  readonly refreshConcurrency: number
  /** LINCHPIN_CHECK_INTERVAL. */
  readonly checkInterval: number
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
export function startBackgroundJobs(options: BackgroundJobsDeps): BackgroundJobs {
  const { database, log, now, eventDays, attemptDays, auditDays, retentionDays } = options
  const { observeJob } = options.workMetrics
  const deps = {
    ...options,
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    refreshStore: createRefreshStore(database, now),
    refreshCache: createRefreshCache(),
    checkStore: createCheckStore(database),
    oauthSessions: createOAuthSessionStore(database),
    confirmations: createConfirmationStore(database),
    submissions: createSubmissionStore(database),
    links: createLinkStore(database),
    visitedSessions: createVisitedSessionStore(database),
    bulkJobs: createBulkJobStore(database),
    workspaces: createWorkspaceStore(database),
    definitions: createDefinitionStore(database),
    accounts: createAccountStore(database),
    connectSessions: createConnectSessionStore(database),
    // Reconnect pages of bulk jobs redirect nowhere.
    assertRedirectUrl: () => {},
    translateError,
    tokens: createTokenStore(database),
    erasures: createErasureStore(database),
    customerAccounts: createCustomerAccountStore(database),
    workspaceDeletions: createWorkspaceDeletionStore(database),
    signInRetention: createSignInRetentionStore(database),
  }
  const jobs = [
    startRefreshRounds(deps, { concurrency: options.refreshConcurrency, observeJob }),
    startCheckRounds(deps, { observeJob }),
    startSweeps(
      Object.entries(createSweeps()).map(([name, sweep]) => {
        const observed = observeJob<[], unknown>(name, sweep)
        return () => runJob(name, observed)
      }),
      {
        onError: (error) => log.warn({ err: error }, 'background work failed'),
        pollMs: SWEEP_MS,
        isJittered: true,
      },
    ),
    startResumingErasures(deps, observeJob),
    startResumingBulkJobs(deps, observeJob),
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

  function createSweeps() {
    const events = createEventStore(database)
    const attempts = createAttemptStore(database)
    const retention = createRetentionStore(database)
    const requests = createRequestRetentionStore(database)
    const agentApprovals = createAgentApprovalStore(database)
    const signInRequests = createSignInRequestStore(database)
    const mcpTools = createMcpToolStore(database)
    const oauthRecords = createOAuthServerRecordStore(database)
    const debugWindows = createDebugWindowStore(database)
    const idempotencyKeys = createIdempotencyRetentionStore(database, now)
    const tokenLeases = createTokenLeaseStore(database, now)
    const deliveries = createDeliveryCleanUpStore(database)
    const daysAgo = (days: number) => now() - days * DAY_MS
    return {
      account_health: createHealthFill(database, now),
      oauth_clean_up: () => cleanUpOAuth(deps),
      submissions: () => deps.submissions.sweep(now() - SUBMISSION_RETENTION_MS),
      rotations: () => sweepRotations(database, now()),
      token_leases: () => tokenLeases.sweep(),
      events: () =>
        inBatches({ size: 1_000, max: 10 }, (size) => events.deleteOld(daysAgo(eventDays), size)),
      attempts: () =>
        inBatches({ size: 500, max: 20 }, (size) => attempts.deleteOld(daysAgo(attemptDays), size)),
      requests: createRequestRetention(requests, now),
      statistics: () => deleteOldStatistics(database, now()),
      debug_exchanges: () =>
        inBatches({ size: 100, max: 20 }, (size) =>
          debugWindows.deleteOld(now() - EXCHANGE_AGE_MS, size),
        ),
      agent_approvals: () =>
        inBatches({ size: 100, max: 20 }, (size) => agentApprovals.deleteOld(daysAgo(1), size)),
      sign_in_requests: () =>
        inBatches({ size: 100, max: 20 }, (size) => signInRequests.deleteOld(daysAgo(1), size)),
      mcp_tools: () =>
        inBatches({ size: 100, max: 20 }, (size) => mcpTools.deleteOld(daysAgo(90), size)),
      oauth_server_records: () =>
        inBatches({ size: 100, max: 20 }, (size) => oauthRecords.deleteExpired(now(), size)),
      bulk_job_urls: () => deps.bulkJobs.eraseUrls(now()),
      bulk_jobs: () =>
        inBatches({ size: 5, max: 20 }, (size) =>
          deps.bulkJobs.deleteOld(daysAgo(BULK_JOB_DAYS), size),
        ),
      audit_retention: createAuditRetention(
        { store: createAuditRetentionStore(database), now },
        auditDays,
      ),
      deliveries: () => deleteOldDeliveries({ deliveries, now }),
      retention: () => deleteAgedData({ retention, now }, retentionDays),
      erased_copies: createCopyErasure(deps),
      account_scopes: () => inBatches({ size: 50, max: 20 }, (size) => fillScopes(deps, size)),
      expired_links: () => recordExpiredLinks(deps),
      connect_sessions: () => endConnectSessions(deps),
      console_sign_ins: () => endOldSignIns(deps),
      expiring_tokens: () => recordExpiringTokens(deps),
      available_updates: () => recordAvailableUpdates(deps),
      connect_failures: () => deleteOldConnectFailures(deps),
      idempotency_keys: () =>
        inBatches({ size: 1_000, max: 20 }, (size) => idempotencyKeys.deleteExpired(size)),
    }
  }
}

const SWEEP_MS = 20_000
const BULK_JOB_DAYS = 7
const DAY_MS = 24 * 60 * 60_000
