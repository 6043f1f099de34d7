import type { Catalogue } from '@linchpin/catalogue'
import { type EgressGateway, type Runner, RunnerError } from '@linchpin/runner'
import type { AuditIpMode } from '../access/auth/authenticate-requests.ts'
import { LargeBodies } from '../access/auth/large-bodies.ts'
import { RequestQueue } from '../access/auth/request-queue.ts'
import { createInstanceStore } from '../access/instance/instance-store.ts'
import { createMemberStore } from '../access/members/member-store.ts'
import { createTokenStore } from '../access/tokens/token-store.ts'
import { createUserStore } from '../access/users/user-store.ts'
import type { Workspace } from '../access/workspaces/workspace.ts'
import { createWorkspaceStore } from '../access/workspaces/workspace-store.ts'
import {
  createAccountCountStore,
  createAccountCounts,
} from '../accounts/accounts/account-count-store.ts'
import { createAccountStore } from '../accounts/accounts/account-store.ts'
import { createAccountUse, createAccountUseStore } from '../accounts/accounts/account-use-store.ts'
import { createValidateConfig } from '../accounts/accounts/credentials/validate-config.ts'
import { createCustomerStore } from '../accounts/accounts/customer-store.ts'
import { createGrantCountStore } from '../accounts/accounts/grant-count-store.ts'
import { listSuspectTimes } from '../accounts/accounts/health/definition-breaker-store.ts'
import {
  createNeededScopes,
  createNeedWriter,
  type NeededScopes,
} from '../accounts/accounts/needed-scopes.ts'
import { createPortalAccountStore } from '../accounts/accounts/portal-account-store.ts'
import { createRefreshBacklogReader } from '../accounts/accounts/token-refresh/background/claim-store.ts'
import { createCheckStore } from '../accounts/accounts/token-refresh/checks/check-store.ts'
import {
  createRefreshCache,
  createRefreshCounts,
  type RefreshCounts,
} from '../accounts/accounts/token-refresh/refresh-deps.ts'
import { createRefreshStore } from '../accounts/accounts/token-refresh/refresh-store.ts'
import {
  createRotationStore,
  createTokenLeaseStore,
} from '../accounts/accounts/verification/rotation-store.ts'
import { createAgentApprovalStore } from '../accounts/agents/agent-approval-store.ts'
import { createAgentSessionStore } from '../accounts/agents/agent-session-store.ts'
import { createOAuthServerRecordStore } from '../accounts/agents/oauth-server-record-store.ts'
import { createSignInRequestStore } from '../accounts/agents/sign-in-request-store.ts'
import { createAuthorizationServer } from '../accounts/mcp/authorization/authorization-server.ts'
import { createSessionAccountStore } from '../accounts/mcp/session-account-store.ts'
import { createMcpToolStore } from '../accounts/mcp-client/mcp-tool-store.ts'
import { MAX_CONCURRENT_REQUESTS, ProxySlots } from '../accounts/proxy/proxy-request.ts'
import type { ProxyLimits } from '../accounts/proxy/send-to-provider.ts'
import { createPreviewStore } from '../accounts/upgrades/preview/preview-store.ts'
import { createVersionStore } from '../accounts/upgrades/version-store.ts'
import { createAuditChainStore } from '../activity/audit/audit-chain-store.ts'
import { createAuditExportStore, createAuditStore } from '../activity/audit/audit-store.ts'
import { createCollectedStore } from '../activity/audit/collected-store.ts'
import { createProxyUse } from '../activity/audit/proxy-use.ts'
import { createRefusals } from '../activity/audit/refusals.ts'
import { createEventWaiters } from '../activity/events/event-operations.ts'
import { createEventStore } from '../activity/events/event-store.ts'
import { type AccountErrors, createAccountErrors } from '../activity/requests/account-errors.ts'
import type { DebugRecorder } from '../activity/requests/debug-recorder.ts'
import { createDebugWindowStore } from '../activity/requests/debug-window-store.ts'
import { createRequestLog, type RequestLog } from '../activity/requests/request-log.ts'
import { createRequestLogStore } from '../activity/requests/request-log-store.ts'
import { type Statistics, UNCOUNTED } from '../activity/statistics/statistics.ts'
import { createStatisticsStore } from '../activity/statistics/statistics-store.ts'
import { createDeliveryListStore } from '../activity/webhooks/delivery-store.ts'
import { createFanOut } from '../activity/webhooks/fan-out-store.ts'
import { createReplayStore } from '../activity/webhooks/replay-store.ts'
import { createWebhookEndpointStore } from '../activity/webhooks/webhook-endpoint-store.ts'
import { createAttemptStore } from '../connect/attempts/attempt-store.ts'
import { createLimitLock } from '../connect/attempts/create-account-through-link.ts'
import { createSubmissionStore } from '../connect/attempts/submission-store.ts'
import { createBulkJobStore } from '../connect/bulk-jobs/bulk-job-store.ts'
import {
  createFailedCheckLimiter,
  type FailedCheckBudgets,
} from '../connect/connect-page/failed-check-limiter.ts'
import { createAuthMethodReader } from '../connect/connect-page/form/auth-method.ts'
import { createLogoCache } from '../connect/connect-page/logo.ts'
import type { ConnectSessionId } from '../connect/connect-sessions/connect-session.ts'
import {
  createConnectSessionStore,
  createVisitedSessionStore,
} from '../connect/connect-sessions/connect-session-store.ts'
import type { LinkPolicy } from '../connect/links/link.ts'
import { createLinkCounterStore, type LinkCounters } from '../connect/links/link-counter-store.ts'
import { createLinkStore, createSharedLinkStore } from '../connect/links/link-store.ts'
import { createOfferedDefinitionsCache } from '../connect/links/read-offered-definitions.ts'
import { createConfirmationStore } from '../connect/oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from '../connect/oauth-flow/oauth-session-store.ts'
import { assertRedirectUrlAllowed } from '../connect/oauth-flow/session/redirect-url.ts'
import type { OidcSettings } from '../console/sign-in/oidc.ts'
import type { AcmeSandbox } from '../integrations/acme-sandbox/acme-sandbox.ts'
import { createCatalogueStore } from '../integrations/catalogue/catalogue-store.ts'
import { createInstanceKeyReader } from '../integrations/catalogue/instance-key-store.ts'
import { EMPTY_CATALOGUE } from '../integrations/catalogue/offered-integration.ts'
import type { RegistryFetches } from '../integrations/catalogue/registry/fetch-registry.ts'
import { createAuthKindReader } from '../integrations/definitions/auth-kinds.ts'
import {
  createBundleStore,
  createDefinitionIconStore,
} from '../integrations/definitions/bundle-store.ts'
import { createDefinitionStore } from '../integrations/definitions/definition-store.ts'
import { createOverriddenReader } from '../integrations/definitions/overridden.ts'
import { createOAuthAppStore } from '../integrations/oauth-apps/oauth-app-store.ts'
import type { SettingState } from '../platform/config/config.ts'
import type { Rates } from '../platform/config/rates.ts'
import type { ErrorCode } from '../platform/error-codes.ts'
import { ApiError, workspaceNotAccessible } from '../platform/errors.ts'
import { createHourlyLimiter } from '../platform/hourly-limiter.ts'
import { createPublicUrlRedirect } from '../platform/http/browser-request.ts'
import {
  createContinuedTasks,
  type DrainState,
  type RequestsInProgress,
} from '../platform/http/drain.ts'
import type { Log } from '../platform/http/log.ts'
import { createTurns } from '../platform/http/pagination.ts'
import { createAttemptGate } from '../platform/record/attempt.ts'
import { createIdempotencyCounts } from '../platform/record/idempotency-key-store.ts'
import type { Database } from '../platform/storage/database.ts'
import { STORAGE_API_ERRORS, StorageError } from '../platform/storage/storage-error.ts'
import { VaultError } from '../platform/vault/sealed-box.ts'
import type { Vault } from '../platform/vault/vault.ts'
import { createCustomerAccountStore } from '../privacy/erasure/customer-accounts-store.ts'
import { createErasureStore } from '../privacy/erasure/erasure-store.ts'
import { createExportStore } from '../privacy/erasure/export-store.ts'
import { createWorkspaceDeletionStore } from '../privacy/erasure/workspace-deletion-store.ts'
import {
  type AttemptCounts,
  createAttemptCounts,
  type WorkMetrics,
} from './observability/metrics/work-metrics.ts'
import { createBuildReader } from './observability/metrics.ts'
import type { Tracing } from './observability/tracing/tracing.ts'

/** The dependencies of the app. */
export interface AppDeps {
  readonly log: Log
  readonly database: Database
  readonly vault: Vault
  readonly egressGateway: EgressGateway
  readonly runner: Runner
  readonly counters: LinkCounters
  /** Counts what happens in workspaces. Default: nothing is counted. */
  readonly statistics?: Pick<Statistics, 'add' | 'dropped'> | undefined
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
  /** LINCHPIN_EMULATOR: what answers instead of all providers. */
  readonly emulator?: URL | undefined
  /** Fetches of the registry so far, by outcome. Absent without a registry. */
  readonly registryFetches?: RegistryFetches | undefined
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** LINCHPIN_CLIENT_METADATA_URL. */
  readonly clientMetadataUrl?: string | undefined
  /** LINCHPIN_MCP_REGISTRATION. Default: false. */
  readonly canRegisterClients?: boolean | undefined
  /** LINCHPIN_CONSOLE_URL, without a trailing slash. Default: the public base URL. */
  readonly consoleUrl?: (() => string) | undefined
  /** LINCHPIN_CONSOLE. Default: true. */
  readonly console?: boolean | undefined
  /** Single sign-on to the console. Absent: none. */
  readonly oidc?: OidcSettings | undefined
  /** The command that creates a sign-in code, as the operator runs it. */
  readonly consoleCommand?: string | undefined
  readonly trustProxy: readonly string[]
  /** LINCHPIN_AUDIT_IP. Default: full. */
  readonly auditIp?: AuditIpMode | undefined
  /** Records requests. Default: nothing is recorded. */
  readonly requestLog?: RequestLog | undefined
  /** Notes the errors of accounts. Default: those of this app. */
  readonly accountErrors?: AccountErrors | undefined
  /** Notes which scopes requests need. Default: those of this app. */
  readonly neededScopes?: NeededScopes | undefined
  /** Captures exchanges of debug windows. Default: nothing is captured. */
  readonly debugRecorder?: DebugRecorder | undefined
  /** LINCHPIN_CHECK_INTERVAL. Default: a day. */
  readonly checkInterval?: number | undefined
  /** LINCHPIN_RATES. Default: no limits. */
  readonly rates?: Rates | undefined
  /** LINCHPIN_MAX_CONNECTIONS. Default: 4,096. */
  readonly maxConnections?: number | undefined
  /** LINCHPIN_METRICS_TOKEN. */
  readonly metricsToken?: string | undefined
  /** Which settings have a value. Default: unknown. */
  readonly settings?: readonly SettingState[] | undefined
  readonly drainState: DrainState
  /** Receives the requests in progress, for the log of the stop. */
  readonly onRequests?: ((requests: RequestsInProgress) => void) | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  /** How long a call of the console may take, in milliseconds. Set by tests only. */
  readonly consoleCallMs?: number | undefined
  /** Set by tests only. */
  readonly bulkIntervalMs?: number | undefined
  /** Set by tests only. */
  readonly approvalWaitMs?: number | undefined
  /** Set by tests only. */
  readonly proxyLimits?: ProxyLimits | undefined
  /** Set by tests only. */
  readonly failedCheckBudgets?: FailedCheckBudgets | undefined
}

/** What routes share: stores, caches, limiters and queues. */
export function createAppServices(deps: AppDeps) {
  const { database } = deps
  const collected = createCollectedStore(database, deps.now)
  const accountUses = createAccountUseStore(database)
  const events = createEventStore(database, createFanOut(database, deps.now))
  const { statistics = UNCOUNTED } = deps
  const refreshCounts = deps.refreshCounts ?? createRefreshCounts(statistics)
  const bundles = createBundleStore(database)
  const catalogue = createCatalogueStore(database)
  const { bundledCatalogue = EMPTY_CATALOGUE } = deps
  const workspaces = createWorkspaceStore(database)
  const agentSessions = createAgentSessionStore(database)
  const signInRequests = createSignInRequestStore(database)
  const oauthRecords = createOAuthServerRecordStore(database)
  const signIns = { workspaces, agentSessions, signInRequests, oauthRecords }
  return {
    ...deps,
    consoleUrl: deps.consoleUrl ?? deps.baseUrl,
    instance: createInstanceStore(database),
    readBuild: createBuildReader(),
    startedAt: deps.now(),
    users: createUserStore(database),
    definitions: createDefinitionStore(database),
    accounts: createAccountStore(database),
    customers: createCustomerStore(database),
    ...signIns,
    authorizationServer: createAuthorizationServer({ ...deps, ...signIns }),
    agentApprovals: createAgentApprovalStore(database),
    mcpTools: createMcpToolStore(database),
    mcpSessions: new Map(),
    sessionAccounts: createSessionAccountStore(database),
    grantCounts: createGrantCountStore(database),
    accountCounts: createAccountCounts(createAccountCountStore(database), deps.now),
    links: createLinkStore(database),
    linkCounters: createLinkCounterStore(database),
    statistics,
    storedStatistics: createStatisticsStore(database),
    offeredDefinitions: createOfferedDefinitionsCache(),
    oauthApps: createOAuthAppStore(database),
    readAuthKinds: createAuthKindReader(),
    readOverridden: createOverriddenReader({ bundles, catalogue, bundledCatalogue }),
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
    accountUse: createAccountUse({ ...deps, write: accountUses.write }),
    accountSuccess: createAccountUse({
      ...deps,
      write: accountUses.writeSuccess,
      readSuspects: () => listSuspectTimes(database.read),
    }),
    neededScopes:
      deps.neededScopes ?? createNeededScopes({ ...deps, write: createNeedWriter(deps) }),
    accountErrors:
      deps.accountErrors ?? createAccountErrors({ ...deps, write: accountUses.writeErrors }),
    proxyUse: createProxyUse({ ...deps, write: collected.writeProxyUse }),
    auditChains: createAuditChainStore(database),
    readAuditKey: createInstanceKeyReader(deps, 'audit'),
    eventWaiters: createEventWaiters(events),
    tokens: createTokenStore(database),
    members: createMemberStore(database),
    bundles,
    largeBodies: new LargeBodies(),
    icons: createDefinitionIconStore(database),
    bundledCatalogue,
    catalogue,
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
    checkStore: createCheckStore(database),
    validateConfig: createValidateConfig(deps.runner),
    proxySlots: new ProxySlots(MAX_CONCURRENT_REQUESTS, () => performance.now()),
    submissions: createSubmissionStore(database),
    sharedLinks: createSharedLinkStore(database),
    connectSessions: createConnectSessionStore(database),
    bulkJobs: createBulkJobStore(database),
    bulkJobTasks: createContinuedTasks((error, isStopping) => {
      if (!isStopping) deps.log.warn({ err: error }, 'a bulk job was interrupted')
    }),
    attempts: createAttemptStore(database),
    requestLogs: createRequestLogStore(database),
    debugWindows: createDebugWindowStore(database),
    requestLog: deps.requestLog ?? createRequestLog({ mode: 'off', write: async () => {} }),
    attemptCounts: deps.attemptCounts ?? createAttemptCounts(statistics),
    refreshCounts,
    readRefreshBacklog: createRefreshBacklogReader(
      database,
      deps.now,
      refreshCounts.readPassedOver,
    ),
    attemptGate: createAttemptGate(deps.now),
    assertRedirectUrl: (url: string, workspace: Workspace, link: LinkPolicy) =>
      assertRedirectUrlAllowed(url, { workspace, link }, deps.baseUrl()),
    portalAccounts: createPortalAccountStore(database),
    visitedSessions: createVisitedSessionStore(database),
    readAuthMethods: createAuthMethodReader(),
    webhookEndpoints: createWebhookEndpointStore(database),
    deliveryLists: createDeliveryListStore(database),
    replays: createReplayStore(database, deps.now),
    logos: createLogoCache(deps),
    publicAddress: createPublicUrlRedirect(deps),
    appTests: createHourlyLimiter<ConnectSessionId>({ limit: MAX_APP_TESTS, now: deps.now }),
    failedChecks: createFailedCheckLimiter({ ...deps, budgets: deps.failedCheckBudgets }),
  }
}

export type AppServices = ReturnType<typeof createAppServices>

/** Tests of an OAuth app in a connect session, per hour. */
const MAX_APP_TESTS = 10

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

const RUNNER_ERRORS: Readonly<Record<RunnerError['code'], readonly [ErrorCode, string]>> = {
  bundle_invalid: ['integration_failed', 'The integration could not be loaded.'],
  integration_failed: ['integration_failed', 'The integration failed.'],
  integration_timeout: ['integration_timeout', 'The integration exceeded its time limit.'],
  integration_limit: ['integration_limit', 'The integration exceeded its resource limits.'],
  integration_bad_output: ['integration_bad_output', 'The integration returned an invalid result.'],
  overloaded: ['overloaded', 'Too many integrations are running. Try again in a moment.'],
}

/** Translates errors of the runner, of storage and of the vault to ApiErrors. Their details are logged as the cause. */
export function translateError(error: unknown): ApiError | undefined {
  // The workspace was deleted after the request had found it.
  if (error instanceof VaultError && error.kind === 'no_data_key') return workspaceNotAccessible()
  const mapped =
    error instanceof RunnerError
      ? RUNNER_ERRORS[error.code]
      : error instanceof StorageError
        ? STORAGE_API_ERRORS[error.kind]
        : undefined
  if (mapped === undefined) return undefined
  return new ApiError(mapped[0], mapped[1], { cause: error, headers: retryAfter(error) })
}

/** RFC 9110 section 10.2.3: whole seconds, rounded up. */
function retryAfter(error: unknown): Record<string, string> {
  const ms = error instanceof RunnerError ? error.retryAfterMs : undefined
  return ms === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) }
}
