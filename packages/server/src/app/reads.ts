import type { FastifyInstance } from 'fastify'
import type { Admission } from '../access/auth/admission.ts'
import type { Authenticate } from '../access/auth/authenticate.ts'
import { authenticateRequests } from '../access/auth/authenticate-requests.ts'
import { RequestQueue } from '../access/auth/request-queue.ts'
import type { RequestRates } from '../access/auth/request-rates.ts'
import { operationRoutes } from '../access/operations/operation-routes.ts'
import { type UserReadDeps, userReadRoutes } from '../access/users/read-routes.ts'
import { createUserStore } from '../access/users/user-store.ts'
import { createWorkspaceStore } from '../access/workspaces/workspace-store.ts'
import { createAccountStore } from '../accounts/accounts/account-store.ts'
import { type AccountReadDeps, accountReadRoutes } from '../accounts/accounts/read-routes.ts'
import { createLinkCounterStore } from '../connect/links/counters/link-counter-store.ts'
import type { GetLinkDeps } from '../connect/links/get-link.ts'
import { createLinkStore } from '../connect/links/link-store.ts'
import type { ListLinksDeps } from '../connect/links/list-links.ts'
import { LINK_READS } from '../connect/links/operations.ts'
import { createOfferedDefinitionsCache } from '../connect/links/read-offered-definitions.ts'
import { createDefinitionStore } from '../integrations/definitions/definition-store.ts'
import type { GetDefinitionDeps } from '../integrations/definitions/get-definition.ts'
import type { ListDefinitionsDeps } from '../integrations/definitions/list-definitions.ts'
import { DEFINITION_READS } from '../integrations/definitions/operations.ts'
import { createAuthKindReader } from '../integrations/oauth-apps/find-missing-oauth-apps.ts'
import { createOAuthAppStore } from '../integrations/oauth-apps/oauth-app-store.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { createTurns } from '../platform/http/turns.ts'
import type { Database } from '../platform/storage/database.ts'

/** What the routes that only read share. Their queue shares the thread of this process between tenants. */
export function createReadServices(database: Database) {
  return {
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
    requestQueue: new RequestQueue({
      now: () => performance.now(),
      busyMs: () => performance.eventLoopUtilization().active,
      defer: setImmediate,
      delay: setTimeout,
    }),
  }
}

type ReadDeps = UserReadDeps &
  GetDefinitionDeps &
  ListDefinitionsDeps &
  AccountReadDeps &
  GetLinkDeps &
  ListLinksDeps

/** Registers the routes that need nothing but the database. */
export async function registerReadRoutes(api: FastifyInstance, deps: ReadDeps): Promise<void> {
  await api.register(userReadRoutes(deps))
  await api.register(operationRoutes(DEFINITION_READS, deps))
  await api.register(accountReadRoutes(deps))
  await api.register(operationRoutes(LINK_READS, deps))
}

interface ApiDeps extends Pick<HttpServer, 'throwNotFound'> {
  readonly authenticate: Authenticate
  readonly admission: Admission
  readonly rates: RequestRates
}

/** Registers routes below `/api`, behind authentication. */
export async function registerApi(
  app: FastifyInstance,
  { authenticate, admission, rates, throwNotFound }: ApiDeps,
  registerRoutes: (api: FastifyInstance) => Promise<void>,
): Promise<void> {
  await app.register(
    async (api) => {
      authenticateRequests(api, authenticate, admission, rates)
      api.addHook('onSend', (_request, reply, payload, done) => {
        reply.header('cache-control', 'no-store')
        done(null, payload)
      })
      api.setNotFoundHandler(throwNotFound)
      await registerRoutes(api)
    },
    { prefix: '/api' },
  )
}
