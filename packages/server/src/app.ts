import type { Catalogue } from '@linchpin/catalogue'
import type { Gate, Runner } from '@linchpin/runner'
import type { FastifyInstance } from 'fastify'
import { createAccountStore } from './account/account-store.ts'
import { createRotationStore } from './account/check/rotation-store.ts'
import { createTokenLeaseStore } from './account/check/token-lease-store.ts'
import { createJudgeConfig } from './account/config/judge-config.ts'
import { createRenewalStore } from './account/renewal/lease/renewal-store.ts'
import { createRenewalState } from './account/renewal/renewal-state.ts'
import { accountRoutes } from './account/routes.ts'
import { createAuthenticate } from './caller/authenticate.ts'
import { createCallerStore } from './caller/caller-store.ts'
import { authenticateRequests } from './caller/request-caller.ts'
import { RequestQueue } from './caller/request-queue.ts'
import { catalogueRoutes } from './catalogue/catalogue-routes.ts'
import { createCatalogueStore } from './catalogue/catalogue-store.ts'
import { EMPTY_CATALOGUE } from './catalogue/empty-catalogue.ts'
import type { RegistryFetches } from './catalogue/registry/registry-loop.ts'
import { createAttemptStore } from './connect/attempt/attempt-store.ts'
import { createPendingAccountStore } from './connect/attempt/pending-account-store.ts'
import { oauthPageRoutes } from './connect/pages/page-routes.ts'
import { connectRoutes } from './connect/routes.ts'
import { createBundleStore } from './definition/bundle-store.ts'
import { createDefinitionStore } from './definition/definition-store.ts'
import { definitionRoutes } from './definition/routes.ts'
import { ApiError } from './errors.ts'
import { createHttpServer } from './http/http-server.ts'
import type { Log } from './http/log.ts'
import { refuseWhenStalled } from './http/refuse-when-stalled.ts'
import { createLinkCounterStore } from './link/counters/link-counter-store.ts'
import type { LinkCounters } from './link/counters/link-counters.ts'
import { createLinkStore } from './link/link-store.ts'
import { createTurns } from './link/policy/turns.ts'
import { linkRoutes } from './link/routes.ts'
import { createVisitAttemptStore } from './link-page/attempt/visit-attempt-store.ts'
import { createLogoCache } from './link-page/logo/logo-cache.ts'
import { createSharedLinkStore } from './link-page/open/shared-link-store.ts'
import { createWaysReader } from './link-page/open/tools.ts'
import { linkPageRoutes } from './link-page/routes.ts'
import { createFailedChecks, type FailedCheckBudgets } from './link-page/send/failed-checks.ts'
import { afterSignIn } from './link-page/sign-in/after-sign-in.ts'
import { NAMED_SCHEMAS } from './named-schemas.ts'
import { createOAuthAppStore } from './oauth-app/oauth-app-store.ts'
import { oauthAppRoutes } from './oauth-app/routes.ts'
import { type Draining, healthRoutes } from './operate/health.ts'
import { createMetrics } from './operate/metrics.ts'
import { neutralIconRoutes } from './operate/neutral-icon.ts'
import { describeApi, showApi } from './operate/openapi.ts'
import { translateFailure } from './operate/translate-failure.ts'
import { assetRoutes } from './page/assets.ts'
import { linkScriptRoute } from './page/link-script.ts'
import { createPublicAddress } from './page/public-address.ts'
import type { ProxyLimits } from './proxy/proxy-limits.ts'
import { MAX_UNDER_WAY, ProxySlots } from './proxy/proxy-slots.ts'
import { proxyRoutes } from './proxy/routes.ts'
import type { Database } from './storage/database.ts'
import { tokenRoutes } from './token/routes.ts'
import { createTokenStore } from './token/token-store.ts'
import { createPreviewStore } from './upgrade/preview/preview-store.ts'
import { createPreviewTasks } from './upgrade/preview/preview-tasks.ts'
import { upgradeRoutes } from './upgrade/routes.ts'
import { createVersionStore } from './upgrade/version-store.ts'
import { userRoutes } from './user/routes.ts'
import { createUserStore } from './user/user-store.ts'
import type { Vault } from './vault/vault.ts'
import { workspaceRoutes } from './workspace/routes.ts'
import { createWorkspaceStore } from './workspace/workspace-store.ts'

/** Everything the app needs from outside. */
export interface AppDeps {
  readonly log: Log
  readonly database: Database
  readonly vault: Vault
  readonly gate: Gate
  readonly runner: Runner
  readonly counters: LinkCounters
  /** The integrations that come with us. Absent: none. */
  readonly bundledCatalogue?: Catalogue | undefined
  /** Fetches of the registry so far, by outcome. Absent: there is none. */
  readonly registryFetches?: RegistryFetches | undefined
  /** The public base URL, without a slash at its end. */
  readonly baseUrl: () => string
  readonly trustProxy: readonly string[]
  /** LINCHPIN_MAX_CONNECTIONS. Default: 4,096. */
  readonly maxConnections?: number | undefined
  /** LINCHPIN_METRICS_TOKEN. */
  readonly metricsToken?: string | undefined
  readonly draining: Draining
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Only tests of limits set it. */
  readonly proxyLimits?: ProxyLimits | undefined
  /** Only tests that let many checks fail set it. */
  readonly failedCheckBudgets?: FailedCheckBudgets | undefined
}

/** A node whose event loop stands still for this long turns requests away until it has turned again for as long. */
const MAX_STALL_MS = 5_000

/** Puts the service together. It does not listen: tests hold the whole app in one variable. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const domain = openDomain(deps)
  const { app, answerUnknown } = createHttpServer({ ...domain, named: NAMED_SCHEMAS })
  const authenticate = createAuthenticate({
    store: createCallerStore(deps.database),
    now: deps.now,
    log: (error, message) => deps.log.warn({ err: error }, message),
  })
  const metrics = createMetrics(app, { ...domain, authenticate })
  refuseWhenStalled(app, MAX_STALL_MS)
  await describeApi(app, deps.baseUrl)
  await app.register(healthRoutes(deps))
  await app.register(metrics.routes)
  await app.register(neutralIconRoutes)
  await app.register(assetRoutes)
  await app.register(catalogueRoutes(domain))
  await app.register(linkScriptRoute)
  await app.register(oauthPageRoutes(domain))
  await app.register(linkPageRoutes(domain))
  await app.register(showApi)
  await app.register(
    async (api) => {
      authenticateRequests(api, authenticate, domain.requestQueue)
      api.addHook('onSend', (_request, reply, payload, done) => {
        reply.header('cache-control', 'no-store')
        done(null, payload)
      })
      api.setNotFoundHandler(answerUnknown)
      await registerDomain(api, domain)
    },
    { prefix: '/api' },
  )
  return app
}

function openDomain(deps: AppDeps) {
  const { database } = deps
  const visitAttempts = createVisitAttemptStore(database)
  return {
    ...deps,
    translate: (error: unknown) => whileDraining(deps.draining, translateFailure(error)),
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
    rotations: createRotationStore(database),
    tokenLeases: createTokenLeaseStore(database, deps.now),
    links: createLinkStore(database),
    inTurn: createTurns(),
    linkCounters: createLinkCounterStore(database),
    oauthApps: createOAuthAppStore(database),
    attempts: createAttemptStore(database),
    pendingAccounts: createPendingAccountStore(),
    renewals: createRenewalStore(database, deps.now),
    renewalState: createRenewalState(),
    judgeConfig: createJudgeConfig(deps.runner),
    requestQueue: new RequestQueue({
      now: () => performance.now(),
      nextTurn: setImmediate,
      later: setTimeout,
    }),
    proxySlots: new ProxySlots(MAX_UNDER_WAY, () => performance.now()),
    visitAttempts,
    sharedLinks: createSharedLinkStore(database),
    readWays: createWaysReader(),
    logos: createLogoCache(deps),
    publicAddress: createPublicAddress(deps),
    failedChecks: createFailedChecks({ ...deps, budgets: deps.failedCheckBudgets }),
    afterAttempt: afterSignIn({ ...deps, visitAttempts }),
  }
}

async function registerDomain(
  api: FastifyInstance,
  domain: ReturnType<typeof openDomain>,
): Promise<void> {
  await api.register(userRoutes(domain))
  await api.register(workspaceRoutes(domain))
  await api.register(tokenRoutes(domain))
  await api.register(definitionRoutes(domain))
  await api.register(upgradeRoutes(domain))
  await api.register(oauthAppRoutes(domain))
  await api.register(accountRoutes(domain))
  await api.register(proxyRoutes(domain))
  await api.register(linkRoutes(domain))
  await api.register(connectRoutes(domain))
}

/** What fails because the service is going down is not the caller's riddle. */
function whileDraining(draining: Draining, failure: ApiError | undefined): ApiError | undefined {
  return draining.isDraining && failure !== undefined && failure.statusCode === 503
    ? new ApiError('shutting_down', 'This node is going down. Send the request again.', {
        cause: failure.cause,
      })
    : failure
}
