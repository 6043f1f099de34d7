import type { Catalogue } from '@linchpin/catalogue'
import type { EgressGateway, Runner } from '@linchpin/runner'
import type { AuditIpMode } from '../access/auth/audit-ip.ts'
import { LargeBodies } from '../access/auth/large-bodies.ts'
import { RequestQueue } from '../access/auth/request-queue.ts'
import { createTokenStore } from '../access/tokens/token-store.ts'
import { createUserStore } from '../access/users/user-store.ts'
import type { Workspace } from '../access/workspaces/workspace.ts'
import { createWorkspaceStore } from '../access/workspaces/workspace-store.ts'
import { createAccountStore } from '../accounts/accounts/account-store.ts'
import { createAccountUse } from '../accounts/accounts/account-use.ts'
import { createAccountUseStore } from '../accounts/accounts/account-use-store.ts'
import { createValidateConfig } from '../accounts/accounts/credentials/validate-config.ts'
import { createPortalAccountStore } from '../accounts/accounts/portal-account-store.ts'
import { createRefreshBacklogReader } from '../accounts/accounts/token-refresh/background/refresh-backlog-store.ts'
import { createRefreshCache } from '../accounts/accounts/token-refresh/refresh-cache.ts'
import {
  createRefreshCounts,
  type RefreshCounts,
} from '../accounts/accounts/token-refresh/refresh-counts.ts'
import { createRefreshStore } from '../accounts/accounts/token-refresh/refresh-store.ts'
import { createRotationStore } from '../accounts/accounts/verification/rotation-store.ts'
import { createTokenLeaseStore } from '../accounts/accounts/verification/token-lease-store.ts'
import type { ProxyLimits } from '../accounts/proxy/proxy-limits.ts'
import { MAX_CONCURRENT_REQUESTS, ProxySlots } from '../accounts/proxy/proxy-slots.ts'
import { createPreviewStore } from '../accounts/upgrades/preview/preview-store.ts'
import { createVersionStore } from '../accounts/upgrades/version-store.ts'
import { createAuditChainStore } from '../activity/audit/audit-chain-store.ts'
import { createAuditExportStore } from '../activity/audit/audit-export-store.ts'
import { createAuditStore } from '../activity/audit/audit-store.ts'
import { createCollectedStore } from '../activity/audit/collected-store.ts'
import { createProxyUse } from '../activity/audit/proxy-use.ts'
import { createRefusals } from '../activity/audit/refusals.ts'
import { createEventStore } from '../activity/events/event-store.ts'
import { createEventWaiters } from '../activity/events/event-waiters.ts'
import { createDeliveryListStore } from '../activity/webhooks/delivery-list-store.ts'
import { createFanOut } from '../activity/webhooks/fan-out-store.ts'
import { createReplayStore } from '../activity/webhooks/replay-store.ts'
import { createWebhookEndpointStore } from '../activity/webhooks/webhook-endpoint-store.ts'
import { createAttemptStore } from '../connect/attempts/attempt-store.ts'
import { createLimitLock } from '../connect/attempts/create-account-through-link.ts'
import { createAuthMethodReader } from '../connect/connect-page/form/auth-method.ts'
import type { FailedCheckBudgets } from '../connect/connect-page/limits/failed-check-budgets.ts'
import { createFailedCheckLimiter } from '../connect/connect-page/limits/failed-check-limiter.ts'
import { createLogoCache } from '../connect/connect-page/logo.ts'
import { createConnectSessionStore } from '../connect/connect-sessions/connect-session-store.ts'
import { createVisitedSessionStore } from '../connect/connect-sessions/visited-session-store.ts'
import { createLinkCounterStore } from '../connect/links/counters/link-counter-store.ts'
import type { LinkCounters } from '../connect/links/counters/link-counters.ts'
import type { LinkPolicy } from '../connect/links/link.ts'
import { createLinkStore, createSharedLinkStore } from '../connect/links/link-store.ts'
import { createOfferedDefinitionsCache } from '../connect/links/read-offered-definitions.ts'
import { createSubmissionStore } from '../connect/links/submissions/submission-store.ts'
import { createConfirmationStore } from '../connect/oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from '../connect/oauth-flow/oauth-session-store.ts'
import {
  assertRedirectUrlAllowed,
  selectRedirectAllowlist,
} from '../connect/oauth-flow/session/redirect-url.ts'
import type { AcmeSandbox } from '../integrations/acme-sandbox/create-acme-sandbox.ts'
import { createCatalogueStore } from '../integrations/catalogue/catalogue-store.ts'
import { createInstanceKeyReader } from '../integrations/catalogue/instance-key.ts'
import { EMPTY_CATALOGUE } from '../integrations/catalogue/offered-integration.ts'
import type { RegistryFetches } from '../integrations/catalogue/registry/registry-loop.ts'
import { createBundleStore } from '../integrations/definitions/bundle-store.ts'
import { createDefinitionIconStore } from '../integrations/definitions/definition-icon-store.ts'
import { createDefinitionStore } from '../integrations/definitions/definition-store.ts'
import { createAuthKindReader } from '../integrations/oauth-apps/find-missing-oauth-apps.ts'
import { createOAuthAppStore } from '../integrations/oauth-apps/oauth-app-store.ts'
import type { Rates } from '../platform/config/parse-rates.ts'
import { ApiError } from '../platform/errors.ts'
import { createContinuedTasks } from '../platform/http/continued-tasks.ts'
import type { DrainState, RequestsInProgress } from '../platform/http/drain.ts'
import { createPublicUrlRedirect } from '../platform/http/get-requested-host.ts'
import type { Log } from '../platform/http/log.ts'
import { createTurns } from '../platform/http/turns.ts'
import { createAttemptGate } from '../platform/record/attempt-gate.ts'
import { createIdempotencyCounts } from '../platform/record/idempotency-counts.ts'
import type { Database } from '../platform/storage/database.ts'
import type { Vault } from '../platform/vault/vault.ts'
import { createCustomerAccountStore } from '../privacy/erasure/customer-accounts-store.ts'
import { createErasureStore } from '../privacy/erasure/erasure-store.ts'
import { createExportStore } from '../privacy/erasure/export-store.ts'
import { createWorkspaceDeletionStore } from '../privacy/erasure/workspace-deletion-store.ts'
import { type AttemptCounts, createAttemptCounts } from './observability/attempt-counts.ts'
import type { WorkMetrics } from './observability/metrics/work-metrics.ts'
import type { Tracing } from './observability/tracing/tracing.ts'
import { translateError } from './observability/translate-error.ts'

/** The dependencies of the app. */
export interface AppDeps {
  readonly log: Log
  readonly database: Database
  readonly vault: Vault
  readonly egressGateway: EgressGateway
  readonly runner: Runner
  readonly counters: LinkCounters
  /** Counts attempts to connect accounts. Default: those of this app. */
  readonly attemptCounts?: AttemptCounts | undefined
  /** What measures work without a request. Absent in tests of other parts. */
  readonly workMetrics?: WorkMetrics | undefined
  /** Traces requests. Absent without LINCHPIN_OTLP_ENDPOINT. */
  readonly tracing?: Tracing | undefined
  /** Counts token refreshes. Default: those of this app. */
  readonly refreshCounts?: RefreshCounts | undefined
  /** The built-in integrations. Default: none. */
  readonly bundledCatalogue?: Catalogue | undefined
  /** Absent: the service has none. */
  readonly acmeSandbox?: AcmeSandbox | undefined
  /** Fetches of the registry so far, by outcome. Absent without a registry. */
  readonly registryFetches?: RegistryFetches | undefined
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  readonly trustProxy: readonly string[]
  /** LINCHPIN_AUDIT_IP. Default: full. */
  readonly auditIp?: AuditIpMode | undefined
  /** LINCHPIN_RATES. Default: no limits. */
  readonly rates?: Rates | undefined
  /** LINCHPIN_MAX_CONNECTIONS. Default: 4,096. */
  readonly maxConnections?: number | undefined
  /** LINCHPIN_METRICS_TOKEN. */
  readonly metricsToken?: string | undefined
  readonly drainState: DrainState
  /** Receives the requests in progress, for the log of the stop. */
  readonly onRequests?: ((requests: RequestsInProgress) => void) | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Set by tests only. */
  readonly proxyLimits?: ProxyLimits | undefined
  /** Set by tests only. */
  readonly failedCheckBudgets?: FailedCheckBudgets | undefined
}

/** What routes share: stores, caches, limiters and queues. */
export function createAppServices(deps: AppDeps) {
  const { database } = deps
  const collected = createCollectedStore(database, deps.now)
  const events = createEventStore(database, createFanOut(database, deps.now))
  const refreshCounts = deps.refreshCounts ?? createRefreshCounts()
  return {
    ...deps,
    users: createUserStore(database),
    workspaces: createWorkspaceStore(database),
    definitions: createDefinitionStore(database),
    accounts: createAccountStore(database),
    links: createLinkStore(database),
    linkCounters: createLinkCounterStore(database),
    offeredDefinitions: createOfferedDefinitionsCache(),
    oauthApps: createOAuthAppStore(database),
    readAuthKinds: createAuthKindReader(),
    takeTurn: createTurns(),
    // Shares the thread of this process between tenants.
    requestQueue: new RequestQueue({
      now: () => performance.now(),
      busyMs: () => performance.eventLoopUtilization().active,
      defer: setImmediate,
      delay: setTimeout,
    }),
    translateError: (error: unknown) => toShuttingDownError(deps.drainState, translateError(error)),
    events,
    idempotencyCounts: createIdempotencyCounts(),
    audit: createAuditStore(database),
    auditExports: createAuditExportStore(database),
    refusals: createRefusals({ ...deps, write: collected.writeRefusals }),
    accountUse: createAccountUse({ ...deps, write: createAccountUseStore(database).write }),
    proxyUse: createProxyUse({ ...deps, write: collected.writeProxyUse }),
    auditChains: createAuditChainStore(database),
    readAuditKey: createInstanceKeyReader(deps, 'audit'),
    eventWaiters: createEventWaiters(events),
    tokens: createTokenStore(database),
    bundles: createBundleStore(database),
    largeBodies: new LargeBodies(),
    icons: createDefinitionIconStore(database),
    bundledCatalogue: deps.bundledCatalogue ?? EMPTY_CATALOGUE,
    catalogue: createCatalogueStore(database),
    versions: createVersionStore(database),
    previews: createPreviewStore(database),
    previewTasks: createContinuedTasks((error) =>
      deps.log.warn({ err: error }, 'a preview failed'),
    ),
    erasures: createErasureStore(database),
    customerAccounts: createCustomerAccountStore(database),
    erasureTasks: createContinuedTasks((error, isStopping) => {
      if (!isStopping) deps.log.warn({ err: error }, 'an erasure was interrupted')
    }),
    customerExports: createExportStore(database),
    workspaceDeletions: createWorkspaceDeletionStore(database),
    rotations: createRotationStore(database, deps.vault, deps.now),
    tokenLeases: createTokenLeaseStore(database, deps.now),
    withLimitLock: createLimitLock(),
    oauthSessions: createOAuthSessionStore(database),
    confirmations: createConfirmationStore(database),
    refreshStore: createRefreshStore(database, deps.now),
    refreshCache: createRefreshCache(),
    validateConfig: createValidateConfig(deps.runner),
    proxySlots: new ProxySlots(MAX_CONCURRENT_REQUESTS, () => performance.now()),
    submissions: createSubmissionStore(database),
    sharedLinks: createSharedLinkStore(database),
    connectSessions: createConnectSessionStore(database),
    attempts: createAttemptStore(database),
    attemptCounts: deps.attemptCounts ?? createAttemptCounts(),
    refreshCounts,
    readRefreshBacklog: createRefreshBacklogReader(
      database,
      deps.now,
      refreshCounts.readPassedOver,
    ),
    attemptGate: createAttemptGate(deps.now),
    assertRedirectUrl: (url: string, workspace: Workspace, link: LinkPolicy) =>
      assertRedirectUrlAllowed(url, selectRedirectAllowlist(workspace, link), deps.baseUrl()),
    portalAccounts: createPortalAccountStore(database),
    visitedSessions: createVisitedSessionStore(database),
    readAuthMethods: createAuthMethodReader(),
    webhookEndpoints: createWebhookEndpointStore(database),
    deliveryLists: createDeliveryListStore(database),
    replays: createReplayStore(database, deps.now),
    logos: createLogoCache(deps),
    publicAddress: createPublicUrlRedirect(deps),
    failedChecks: createFailedCheckLimiter({ ...deps, budgets: deps.failedCheckBudgets }),
  }
}

export type AppServices = ReturnType<typeof createAppServices>

/** During shutdown, closed dependencies fail requests: the caller should learn the actual reason. */
function toShuttingDownError(
  drainState: DrainState,
  apiError: ApiError | undefined,
): ApiError | undefined {
  return drainState.isDraining && apiError !== undefined && apiError.statusCode === 503
    ? new ApiError('shutting_down', 'This node is shutting down. Retry the request.', {
        cause: apiError.cause,
      })
    : apiError
}
