import type { Catalogue } from '@linchpin/catalogue'
import type { EgressGateway, Runner } from '@linchpin/runner'
import type { FastifyInstance } from 'fastify'
import { createAccountStore } from './accounts/account-store.ts'
import { createValidateConfig } from './accounts/credentials/validate-config.ts'
import { accountRoutes } from './accounts/routes.ts'
import { createRefreshCache } from './accounts/token-refresh/refresh-cache.ts'
import { createRefreshStore } from './accounts/token-refresh/refresh-store.ts'
import { createRotationStore } from './accounts/verification/rotation-store.ts'
import { createTokenLeaseStore } from './accounts/verification/token-lease-store.ts'
import { createAccessTokenStore } from './auth/access-token-store.ts'
import { createAdmission } from './auth/admission.ts'
import { createAuthenticate } from './auth/authenticate.ts'
import { authenticateRequests } from './auth/authenticate-requests.ts'
import { serveDirectReads } from './auth/direct-reads.ts'
import { RequestQueue } from './auth/request-queue.ts'
import { createCatalogueStore } from './catalogue/catalogue-store.ts'
import { EMPTY_CATALOGUE } from './catalogue/offered-integration.ts'
import type { RegistryFetches } from './catalogue/registry/registry-loop.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { createAuthMethodReader } from './connect-page/form/auth-method.ts'
import {
  createFailedCheckLimiter,
  type FailedCheckBudgets,
} from './connect-page/limits/failed-check-limiter.ts'
import { createLogoCache } from './connect-page/logo.ts'
import { connectPageRoutes } from './connect-page/routes.ts'
import { createSharedLinkStore } from './connect-page/stores/shared-link-store.ts'
import { createSubmissionStore } from './connect-page/submission/submission-store.ts'
import { createBundleStore } from './definitions/bundle-store.ts'
import { createDefinitionStore } from './definitions/definition-store.ts'
import { definitionRoutes } from './definitions/routes.ts'
import { ApiError } from './errors.ts'
import { createPublicUrlRedirect } from './http/get-requested-host.ts'
import { createHttpServer } from './http/http-server.ts'
import type { Log } from './http/log.ts'
import { rejectWhenStalled } from './http/reject-when-stalled.ts'
import { createLinkCounterStore } from './links/counters/link-counter-store.ts'
import type { LinkCounters } from './links/counters/link-counters.ts'
import { createLimitLock } from './links/create-account-through-link.ts'
import { createLinkStore } from './links/link-store.ts'
import { createOfferedDefinitionsCache } from './links/read-offered-definitions.ts'
import { linkRoutes } from './links/routes.ts'
import { createAuthKindReader } from './oauth-apps/find-missing-oauth-apps.ts'
import { createOAuthAppStore } from './oauth-apps/oauth-app-store.ts'
import { oauthAppRoutes } from './oauth-apps/routes.ts'
import { createConfirmationStore } from './oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from './oauth-flow/oauth-session-store.ts'
import { oauthPageRoutes } from './oauth-flow/page-routes.ts'
import { oauthRoutes } from './oauth-flow/routes.ts'
import { defaultIconRoutes } from './observability/default-icon.ts'
import { type DrainState, healthRoutes } from './observability/health.ts'
import { createMetrics } from './observability/metrics.ts'
import { apiReference, registerOpenApi } from './observability/openapi.ts'
import { startPageRoutes } from './observability/start-page.ts'
import { translateError } from './observability/translate-error.ts'
import type { ProxyLimits } from './proxy/proxy-limits.ts'
import { MAX_CONCURRENT_REQUESTS, ProxySlots } from './proxy/proxy-slots.ts'
import { proxyRoutes } from './proxy/routes.ts'
import type { Database } from './storage/database.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { createTokenStore } from './tokens/token-store.ts'
import { assetRoutes } from './ui/assets.ts'
import { linkScriptRoute } from './ui/link-script.ts'
import { createPreviewStore } from './upgrades/preview/preview-store.ts'
import { createPreviewTasks } from './upgrades/preview/run-preview.ts'
import { upgradeRoutes } from './upgrades/routes.ts'
import { createVersionStore } from './upgrades/version-store.ts'
import { userRoutes } from './users/routes.ts'
import { createUserStore } from './users/user-store.ts'
import type { Vault } from './vault/vault.ts'
import { workspaceRoutes } from './workspaces/routes.ts'
import { createWorkspaceStore } from './workspaces/workspace-store.ts'

/** The dependencies of the app. */
export interface AppDeps {
  readonly log: Log
  readonly database: Database
  readonly vault: Vault
  readonly egressGateway: EgressGateway
  readonly runner: Runner
  readonly counters: LinkCounters
  /** The built-in integrations. Default: none. */
  readonly bundledCatalogue?: Catalogue | undefined
  /** Fetches of the registry so far, by outcome. Absent without a registry. */
  readonly registryFetches?: RegistryFetches | undefined
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  readonly trustProxy: readonly string[]
  /** LINCHPIN_MAX_CONNECTIONS. Default: 4,096. */
  readonly maxConnections?: number | undefined
  /** LINCHPIN_METRICS_TOKEN. */
  readonly metricsToken?: string | undefined
  readonly drainState: DrainState
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Set by tests only. */
  readonly proxyLimits?: ProxyLimits | undefined
  /** Set by tests only. */
  readonly failedCheckBudgets?: FailedCheckBudgets | undefined
}

/** A node rejects requests after its event loop was blocked for this long, until it has run for as long again. */
const MAX_STALL_MS = 5_000

/** Builds the app from its dependencies. It does not listen, so tests can send requests with `inject`. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const services = createDomain(deps)
  const { app, throwNotFound, isUnremarkable } = createHttpServer(services)
  const authenticate = createAuthenticate({
    store: createAccessTokenStore(deps.database),
    now: deps.now,
    log: (error, message) => deps.log.warn({ err: error }, message),
  })
  const metrics = createMetrics(app, { ...services, authenticate })
  const isStalled = rejectWhenStalled(app, MAX_STALL_MS)
  const admission = createAdmission(services.requestQueue)
  serveDirectReads(app, {
    authenticate,
    admission,
    isUnremarkable: (request) => !isStalled() && isUnremarkable(request),
    baseUrl: deps.baseUrl,
    observe: (route, seconds) => metrics.observe('GET', route, 200, seconds),
  })
  await registerOpenApi(app, deps.baseUrl)
  await app.register(startPageRoutes(services.bundledCatalogue))
  await app.register(healthRoutes(deps))
  await app.register(metrics.routes)
  await app.register(defaultIconRoutes)
  await app.register(assetRoutes)
  await app.register(catalogueRoutes(services))
  await app.register(linkScriptRoute)
  await app.register(oauthPageRoutes(services))
  await app.register(connectPageRoutes(services))
  await app.register(apiReference)
  await app.register(
    async (api) => {
      authenticateRequests(api, authenticate, admission)
      api.addHook('onSend', (_request, reply, payload, done) => {
        reply.header('cache-control', 'no-store')
        done(null, payload)
      })
      api.setNotFoundHandler(throwNotFound)
      await registerApiRoutes(api, services)
    },
    { prefix: '/api' },
  )
  return app
}

function createDomain(deps: AppDeps) {
  const { database } = deps
  return {
    ...deps,
    translateError: (error: unknown) => toShuttingDownError(deps.drainState, translateError(error)),
    users: createUserStore(database),
    workspaces: createWorkspaceStore(database),
    tokens: createTokenStore(database),
    definitions: createDefinitionStore(database),
    bundles: createBundleStore(database),
    bundledCatalogue: deps.bundledCatalogue ?? EMPTY_CATALOGUE,
    catalogue: createCatalogueStore(database),
    versions: createVersionStore(database),
    previews: createPreviewStore(database),
    previewTasks: createPreviewTasks(deps.log),
    accounts: createAccountStore(database),
    rotations: createRotationStore(database, deps.vault, deps.now),
    tokenLeases: createTokenLeaseStore(database, deps.now),
    links: createLinkStore(database),
    withLimitLock: createLimitLock(),
    linkCounters: createLinkCounterStore(database),
    offeredDefinitions: createOfferedDefinitionsCache(),
    oauthApps: createOAuthAppStore(database),
    oauthSessions: createOAuthSessionStore(database),
    confirmations: createConfirmationStore(database),
    refreshStore: createRefreshStore(database, deps.now),
    refreshCache: createRefreshCache(),
    validateConfig: createValidateConfig(deps.runner),
    requestQueue: new RequestQueue({
      now: () => performance.now(),
      busyMs: () => performance.eventLoopUtilization().active,
      defer: setImmediate,
      delay: setTimeout,
    }),
    proxySlots: new ProxySlots(MAX_CONCURRENT_REQUESTS, () => performance.now()),
    submissions: createSubmissionStore(database),
    sharedLinks: createSharedLinkStore(database),
    readAuthMethods: createAuthMethodReader(),
    readAuthKinds: createAuthKindReader(),
    logos: createLogoCache(deps),
    publicAddress: createPublicUrlRedirect(deps),
    failedChecks: createFailedCheckLimiter({ ...deps, budgets: deps.failedCheckBudgets }),
  }
}

async function registerApiRoutes(
  api: FastifyInstance,
  services: ReturnType<typeof createDomain>,
): Promise<void> {
  await api.register(userRoutes(services))
  await api.register(workspaceRoutes(services))
  await api.register(tokenRoutes(services))
  await api.register(definitionRoutes(services))
  await api.register(upgradeRoutes(services))
  await api.register(oauthAppRoutes(services))
  await api.register(accountRoutes(services))
  await api.register(proxyRoutes(services))
  await api.register(linkRoutes(services))
  await api.register(oauthRoutes(services))
}

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
