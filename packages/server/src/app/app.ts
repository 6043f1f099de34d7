import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createAccessTokenStore } from '../access/auth/access-token-store.ts'
import { createAuthenticate } from '../access/auth/authenticate.ts'
import { addAuditIp, authenticateRequests } from '../access/auth/authenticate-requests.ts'
import { serveDirectReads } from '../access/auth/direct-reads.ts'
import { createRateLimiter } from '../access/auth/rate-limiter.ts'
import { type Admission, createAdmission } from '../access/auth/request-queue.ts'
import { createRequestRates, startSharingRates } from '../access/auth/request-rates.ts'
import { operationRoutes } from '../access/operations/define-operation.ts'
import {
  createAccountStatusCountStore,
  createAccountStatusCounts,
} from '../accounts/accounts/account-status-count-store.ts'
import { guardMcp, mcpRoutes } from '../accounts/mcp/adapter.ts'
import { authenticateClients } from '../accounts/mcp/authorization/authenticate-clients.ts'
import { authorizationRoutes } from '../accounts/mcp/authorization/routes.ts'
import { proxyRoutes } from '../accounts/proxy/operations.ts'
import { startChainingAuditTrail } from '../activity/audit/audit-chain-store.ts'
import { auditKeyRoute } from '../activity/audit/export-audit-events.ts'
import { createRefusalObserver } from '../activity/audit/refusals.ts'
import { createEventLagReader, startEventNumbering } from '../activity/events/event-store.ts'
import {
  createDirectAnswerRecorder,
  recordApiRequests,
} from '../activity/requests/record-requests.ts'
import { startDispatcher } from '../activity/webhooks/dispatch/dispatcher.ts'
import { startReplayPromotion } from '../activity/webhooks/replay-store.ts'
import { recordEndpointTransition } from '../activity/webhooks/update-webhook-endpoint.ts'
import { agentPageRoutes } from '../connect/agent-page/routes.ts'
import { connectPageRoutes } from '../connect/connect-page/routes.ts'
import { oauthPageRoutes } from '../connect/oauth-flow/page-routes.ts'
import { createDefinitionNames } from '../console/definition-names.ts'
import { consoleRoutes } from '../console/routes.ts'
import { createOidc } from '../console/sign-in/oidc.ts'
import { createPasskeyStore } from '../console/sign-in/passkey-store.ts'
import { createSignInStore } from '../console/sign-in/sign-in-store.ts'
import { consentPageRoutes } from '../integrations/acme-sandbox/consent-page.ts'
import { catalogueRoutes } from '../integrations/catalogue/routes.ts'
import { iconRoute } from '../integrations/definitions/set-definition-icon.ts'
import { getCallbackUrl } from '../integrations/oauth/authorize/authorization-response.ts'
import { clientDocumentRoute } from '../integrations/oauth-apps/client-document.ts'
import { NO_RATES } from '../platform/config/rates.ts'
import { hasConsoleHost, isOnConsoleHost, separateConsole } from '../platform/http/console-host.ts'
import { createHttpServer } from '../platform/http/http-server.ts'
import { rejectWhenStalled } from '../platform/http/overload.ts'
import { redirect } from '../platform/http/send-page.ts'
import {
  assetRoutes,
  linkScriptRoute,
  PACKAGES_FOLDER,
  packageRoutes,
} from '../platform/ui/assets.ts'
import { createOutdatedKeyReader } from '../platform/vault/key-store.ts'
import { type AppDeps, type AppServices, createAppServices } from './app-services.ts'
import { handleIdempotencyKeys } from './idempotency/handle-idempotency-keys.ts'
import { defaultIconRoutes } from './observability/default-icon.ts'
import { documentationRoutes } from './observability/documentation/routes.ts'
import { getStatus, healthRoutes } from './observability/health.ts'
import { createMetrics } from './observability/metrics.ts'
import { createExampleEvent, registerOpenApi } from './observability/openapi.ts'
import { ROUTED_OPERATIONS } from './operations.ts'

/** Builds the app from its dependencies. It does not listen, so tests can send requests with `inject`. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const services = createAppServices(deps)
  const { app, throwNotFound, isUnremarkable, requests, requestIds } = createHttpServer({
    ...services,
    onFailure: createRefusalObserver(services.refusals),
  })
  deps.tracing?.traceRequests(app, requestIds)
  addAuditIp(app, deps.auditIp ?? 'full')
  const limiter = createRateLimiter(deps.now)
  const rates = createRequestRates(limiter, deps.rates ?? NO_RATES)
  const consoleKey = randomBytes(32).toString('base64url')
  const authenticate = createAuthenticate({
    consoleKey,
    rates,
    store: createAccessTokenStore(deps.database),
    now: deps.now,
    log: (error, message) => deps.log.warn({ err: error }, message),
  })
  const dispatcher = startDispatcher({ ...services, onTransition: recordEndpointTransition })
  const metrics = createMetrics(app, {
    ...services,
    authenticate,
    dispatcher,
    requests,
    isReady: async () => (await getStatus(deps)) === 'ok',
    readEventLagMs: createEventLagReader(deps.database, deps.now),
    countOutdatedKeys: createOutdatedKeyReader(deps.database, deps.vault.encryptionKeyId),
    countAccountStatuses: createAccountStatusCounts(
      createAccountStatusCountStore(deps.database),
      deps.now,
    ),
  })
  separateConsole(app, services)
  const isStalled = rejectWhenStalled(app)
  const admission = createAdmission(services.requestQueue)
  serveDirectReads(app, {
    authenticate,
    admission,
    rates,
    requests,
    // A direct read passes no hooks, so it would not be in a trace.
    isUnremarkable: (request) =>
      deps.tracing === undefined &&
      !isStalled() &&
      (!hasConsoleHost(services) || request.headers.host === new URL(deps.baseUrl()).host) &&
      isUnremarkable(request),
    getRequestId: requestIds.getRequestId,
    baseUrl: deps.baseUrl,
    createObserver: metrics.createObserver,
    onAnswer: createDirectAnswerRecorder(services),
  })
  const numbering = startEventNumbering({
    ...services,
    onNumbered: (workspaceIds) => {
      services.eventWaiters.wake(workspaceIds)
      dispatcher.wake(workspaceIds)
    },
  })
  const chaining = startChainingAuditTrail(services)
  const sharing = startSharingRates({ ...deps, limiter })
  const replayPromotion = startReplayPromotion({ ...services, log: deps.log })
  // It takes seconds: requests complete meanwhile.
  app.addHook('preClose', async () => void dispatcher.stop())
  app.addHook('preClose', async () => services.eventWaiters.stop())
  app.addHook('preClose', () => services.erasureTasks.stop())
  app.addHook('preClose', () => services.bulkJobTasks.stop())
  app.addHook('onClose', async () => {
    await Promise.all([
      services.refusals.stop(),
      services.proxyUse.stop(),
      services.accountUse.stop(),
      services.requestLog.stop(),
      services.accountSuccess.stop(),
      services.accountErrors.stop(),
      services.neededScopes.stop(),
      services.debugRecorder?.stop(),
    ])
    const jobs = [numbering, chaining, sharing, replayPromotion, dispatcher]
    await Promise.all(jobs.map((job) => job.stop()))
  })
  app.addHook('onClose', () => services.previewTasks.stop())
  deps.onRequests?.(requests)
  await registerOpenApi(app, deps.baseUrl)
  app.get('/', { schema: { hide: true } }, (request, reply) =>
    redirect(reply, leadsToConsole(services, request) ? '/console' : '/docs'),
  )
  await app.register(healthRoutes(deps))
  await app.register(metrics.routes)
  await app.register(defaultIconRoutes)
  await app.register(iconRoute(services))
  await app.register(assetRoutes)
  await app.register(catalogueRoutes(services))
  await app.register(auditKeyRoute(services))
  await app.register(clientDocumentRoute(services))
  await app.register(linkScriptRoute)
  await app.register(packageRoutes(PACKAGES_FOLDER))
  await app.register(oauthPageRoutes(services))
  await app.register(connectPageRoutes(services))
  await app.register(agentPageRoutes(services))
  await app.register(authorizationRoutes(services))
  if (deps.acmeSandbox)
    await app.register(
      consentPageRoutes({
        ...deps.acmeSandbox,
        redirectUri: () => getCallbackUrl(deps.baseUrl()),
      }),
    )
  if (deps.console !== false) await registerConsole(app, services, consoleKey)
  await app.register(documentationRoutes)
  await app.register(
    async (api) => {
      authenticateRequests(api, authenticate, admission, rates)
      recordApiRequests(api, services)
      api.setNotFoundHandler(throwNotFound)
      await registerApiRoutes(api, services, admission)
    },
    { prefix: '/api' },
  )
  const mcpDeps = { ...services, admission, requestRates: rates }
  await app.register(
    async (mcp) => {
      guardMcp(mcp, mcpDeps, throwNotFound)
      authenticateRequests(mcp, authenticateClients(authenticate, services), admission, rates)
      recordApiRequests(mcp, services)
      await mcp.register(mcpRoutes(mcpDeps))
    },
    { prefix: '/mcp' },
  )
  return app
}

/** Where `/` leads: to the console, unless it is turned off or at another host. */
function leadsToConsole(services: AppServices, request: FastifyRequest): boolean {
  if (services.console === false) return false
  return !hasConsoleHost(services) || isOnConsoleHost(services, request)
}

/** Registers the console: the only pages that sign people in. `consoleKey`: with which it calls the API. */
async function registerConsole(
  app: FastifyInstance,
  services: AppServices,
  consoleKey: string,
): Promise<void> {
  const { database, users, oidc } = services
  const signIn = {
    ...services,
    signIns: createSignInStore(database),
    passkeys: createPasskeyStore(database),
    sessionKey: services.vault.deriveKey('linchpin console sessions'),
  }
  await app.register(
    consoleRoutes({
      definitionNames: createDefinitionNames(services.now),
      ...signIn,
      oidc: oidc && createOidc(signIn, oidc),
      findUser: async (email) => (await users.findByEmail(database.read, email))?.userId,
      findInstanceOwner: async () => (await users.findOwner(database.read))?.userId,
      findEmail: async (userId) => (await users.find(userId))?.email,
      codeCommand: services.consoleCommand ?? 'npm run --silent linchpin -- console',
      consoleKey,
      app: () => app,
    }),
  )
}

/** Registers the routes below `/api`, behind authentication. */
async function registerApiRoutes(
  api: FastifyInstance,
  services: AppServices,
  admission: Admission,
): Promise<void> {
  handleIdempotencyKeys(api, services)
  await api.register(
    operationRoutes(ROUTED_OPERATIONS, {
      ...services,
      admission,
      createExampleEvent,
    }),
  )
  await api.register(proxyRoutes(services))
}
