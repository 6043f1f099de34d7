import type { FastifyInstance } from 'fastify'
import { createAccountStore } from './accounts/account-store.ts'
import { type AccountReadDeps, accountReadRoutes } from './accounts/read-routes.ts'
import type { Admission } from './auth/admission.ts'
import type { Authenticate } from './auth/authenticate.ts'
import { authenticateRequests } from './auth/authenticate-requests.ts'
import { RequestQueue } from './auth/request-queue.ts'
import type { RequestRates } from './auth/request-rates.ts'
import { createDefinitionStore } from './definitions/definition-store.ts'
import { type DefinitionReadDeps, definitionReadRoutes } from './definitions/read-routes.ts'
import type { HttpServer } from './http/http-server.ts'
import { createTurns } from './http/turns.ts'
import { createLinkCounterStore } from './links/counters/link-counter-store.ts'
import { createLinkStore } from './links/link-store.ts'
import { createOfferedDefinitionsCache } from './links/read-offered-definitions.ts'
import { type LinkReadDeps, linkReadRoutes } from './links/read-routes.ts'
import { createAuthKindReader } from './oauth-apps/find-missing-oauth-apps.ts'
import { createOAuthAppStore } from './oauth-apps/oauth-app-store.ts'
import type { Database } from './storage/database.ts'
import { type UserReadDeps, userReadRoutes } from './users/read-routes.ts'
import { createUserStore } from './users/user-store.ts'
import { createWorkspaceStore } from './workspaces/workspace-store.ts'

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

type ReadDeps = UserReadDeps & DefinitionReadDeps & AccountReadDeps & LinkReadDeps

/** Registers the routes that need nothing but the database. */
export async function registerReadRoutes(api: FastifyInstance, deps: ReadDeps): Promise<void> {
  await api.register(userReadRoutes(deps))
  await api.register(definitionReadRoutes(deps))
  await api.register(accountReadRoutes(deps))
  await api.register(linkReadRoutes(deps))
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
