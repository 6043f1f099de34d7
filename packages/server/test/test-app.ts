import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Catalogue, loadRuntimes } from '@linchpin/catalogue'
import type { EgressGateway } from '@linchpin/runner'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { generateAccessToken } from '../src/access/auth/access-token.ts'
import type { AuditIpMode } from '../src/access/auth/authenticate-requests.ts'
import { createTokenStore } from '../src/access/tokens/token-store.ts'
import { ensureOwner } from '../src/access/users/ensure-owner.ts'
import { createUserStore } from '../src/access/users/user-store.ts'
import type { WorkspaceId } from '../src/access/workspaces/workspace.ts'
import { createWorkspaceStore } from '../src/access/workspaces/workspace-store.ts'
import { createAccountUseStore } from '../src/accounts/accounts/account-use-store.ts'
import {
  createNeededScopes,
  createNeedWriter,
  type NeededScopes,
} from '../src/accounts/accounts/needed-scopes.ts'
import type { RefreshCounts } from '../src/accounts/accounts/token-refresh/refresh-deps.ts'
import type { ProxyLimits } from '../src/accounts/proxy/send-to-provider.ts'
import { type AccountErrors, createAccountErrors } from '../src/activity/requests/account-errors.ts'
import { createDebugRecorder, type DebugRecorder } from '../src/activity/requests/debug-recorder.ts'
import { createDebugWindowStore } from '../src/activity/requests/debug-window-store.ts'
import { recordProviderRequests } from '../src/activity/requests/record-requests.ts'
import {
  createRequestLog,
  type RequestLog,
  type RequestLogMode,
} from '../src/activity/requests/request-log.ts'
import { createRequestWriter } from '../src/activity/requests/request-log-store.ts'
import { createStatistics, type Statistics } from '../src/activity/statistics/statistics.ts'
import { createStatisticsWriter } from '../src/activity/statistics/statistics-store.ts'
import { buildApp } from '../src/app/app.ts'
import type { WorkMetrics } from '../src/app/observability/metrics/work-metrics.ts'
import type { Tracing } from '../src/app/observability/tracing/tracing.ts'
import type { FailedCheckBudgets } from '../src/connect/connect-page/failed-check-limiter.ts'
import { createLinkCounters, type LinkCounters } from '../src/connect/links/link-counter-store.ts'
import type { OidcSettings } from '../src/console/sign-in/oidc.ts'
import { createCatalogueStore } from '../src/integrations/catalogue/catalogue-store.ts'
import {
  EMPTY_CATALOGUE,
  listBundledIntegrations,
} from '../src/integrations/catalogue/offered-integration.ts'
import { syncCatalogue } from '../src/integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../src/integrations/definitions/bundle-store.ts'
import type { Rates } from '../src/platform/config/rates.ts'
import type { DrainState } from '../src/platform/http/drain.ts'
import { createLog } from '../src/platform/http/log.ts'
import type { Database } from '../src/platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../src/platform/storage/id.ts'
import { openDatabase } from '../src/platform/storage/open-database.ts'
import { parseKeys } from '../src/platform/vault/key-ring.ts'
import { createVault } from '../src/platform/vault/vault.ts'
import type { AnyBody } from './any-body.ts'
import { writeMigratedSqliteFile } from './migrated-sqlite-file.ts'
import { TEST_POSTGRES } from './postgres.ts'
import {
  type ApiDocument,
  createResponseContract,
  type ResponseContract,
} from './response-contract.ts'
import { sendOverHttp } from './send-over-http.ts'
import {
  closeRunner,
  type RunnerPairOptions,
  sharedRunner,
  startRunner,
  TEST_SANDBOX,
} from './shared-runner.ts'

/** A response with its parsed body. */
export interface TestResponse {
  readonly status: number
  readonly body: AnyBody
  readonly text: string
  readonly headers: Record<string, unknown>
}

export interface CallOptions {
  /** Default: the owner's token. null sends none. */
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The raw body, instead of `body`. */
  readonly payload?: string | Buffer
}

/**
 * The complete service with a real database, egress gateway, runner and vault; requests go through inject(). `call`
 * checks every response against the OpenAPI document that the service publishes.
 */
export interface TestApp {
  readonly app: FastifyInstance
  readonly database: Database
  /** Call `flush()` to write the counts to the database. */
  readonly counters: LinkCounters
  /** Call `flush()` to write the statistics to the database. */
  readonly statistics: Statistics
  /** Call `flush()` to write the requests to the database. */
  readonly requestLog: RequestLog
  /** Call `flush()` to write the errors of accounts to the database. */
  readonly accountErrors: AccountErrors
  readonly neededScopes: NeededScopes
  /** Call `flush()` to learn which debug windows are open, and to write what they have. */
  readonly debugRecorder: DebugRecorder
  /** The owner's token: every scope, every workspace. */
  readonly token: string
  /** The owner's only workspace. */
  readonly workspaceId: WorkspaceId
  /** The log lines so far. */
  readonly logs: string[]
  /** `path` is relative to /api, such as `/v1/link`, unless it starts with `!`. */
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>
  /** Creates a token of the owner with these restrictions. */
  createToken(body?: Record<string, unknown>): Promise<string>
  /** Creates another user with a workspace. */
  otherUser(): Promise<{ token: string; workspaceId: WorkspaceId; userId: string }>
  close(): Promise<void>
}

export interface TestAppOptions extends RunnerPairOptions {
  /** For tests that count the calls of the runner. Default: true, unless its options differ. */
  readonly sharesRunner?: boolean
  /** PostgreSQL instead of a SQLite file. */
  readonly url?: string | undefined
  /** The clock. Default: the real one. */
  readonly now?: () => number
  /** Set it to test a service that is shutting down. */
  readonly drainState?: DrainState
  /** The built-in integrations. Default: none. */
  readonly catalogue?: Catalogue
  /** Default: as in production. */
  readonly proxyLimits?: ProxyLimits
  /** Default: as in production. */
  readonly bulkIntervalMs?: number
  /** Default: as in production. */
  readonly approvalWaitMs?: number
  /** Default: as in production. */
  readonly failedCheckBudgets?: FailedCheckBudgets
  /** LINCHPIN_REQUEST_LOG. Default: off. Requests of integrations are recorded if the runner is not shared. */
  readonly requestLog?: RequestLogMode
  /** LINCHPIN_TRUST_PROXY. Default: none. */
  readonly trustProxy?: readonly string[]
  /** Default: none. */
  readonly workMetrics?: WorkMetrics
  /** Default: none. */
  readonly tracing?: Tracing
  /** LINCHPIN_AUDIT_IP. Default: full. */
  readonly auditIp?: AuditIpMode | undefined
  /** LINCHPIN_CONSOLE_URL. */
  readonly consoleUrl?: string | undefined
  /** Default: those of this app. */
  readonly refreshCounts?: RefreshCounts | undefined
  /** Default: none. */
  readonly rates?: Rates | undefined
  /** The public base URL. Default: one that nothing listens on. */
  readonly baseUrl?: () => string
  /** LINCHPIN_CLIENT_METADATA_URL. Default: none, and the public URL is on loopback. */
  readonly clientMetadataUrl?: string
  /** LINCHPIN_MCP_REGISTRATION. Default: false. */
  readonly canRegisterClients?: boolean
  /** Default: 4,096. */
  readonly maxConnections?: number
  /** Default: none. */
  readonly metricsToken?: string
  /** Single sign-on to the console. Default: none. */
  readonly oidc?: OidcSettings | undefined
  /** Listens, and sends every GET on both paths: see `sendOverHttp`. Default: false, and requests are injected. */
  readonly listens?: boolean
  /** Default: debug, or info if it listens, because requests that are logged take the normal path. */
  readonly logLevel?: string
}

/** Every service publishes the same document, and compiling its schemas takes longer than most tests. */
let sharedContract: ResponseContract | undefined

export const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`
const BASE_URL = 'http://localhost:3000'

/** Starts a service. Close it in `after`. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const now = options.now ?? Date.now
  const dir = await mkdtemp(path.join(tmpdir(), 'linchpin-test-'))
  const file = options.url === undefined ? await writeMigratedSqliteFile(dir) : undefined
  const opened = await openDatabase({ url: options.url, file, postgres: TEST_POSTGRES })
  const database = options.workMetrics?.observeDatabase(opened) ?? opened
  await database.migrate()
  const vault = createVault({ database, keys: parseKeys(TEST_KEYS), now })
  await vault.verify()
  const logs: string[] = []
  const logLevel = options.logLevel ?? (options.listens ? 'info' : 'debug')
  const log = createLog(logLevel, {
    write: (line) => void logs.push(line),
  })
  const statistics = createStatistics({
    write: createStatisticsWriter(database),
    log,
    now,
    flushIntervalMs: 2 ** 30,
  })
  const counters = createLinkCounters({ database, log, statistics })
  const { allow, resolve, emulator, findDeclared } = options
  const hasOwnRunner = [allow, resolve, emulator, findDeclared].some((each) => each !== undefined)
  const { sharesRunner = !hasOwnRunner } = options
  const requestLog = createRequestLog({
    mode: options.requestLog ?? 'off',
    write: createRequestWriter(database),
    flushIntervalMs: 2 ** 30,
  })
  const accountErrors = createAccountErrors({
    now,
    write: createAccountUseStore(database).writeErrors,
    flushIntervalMs: 2 ** 30,
  })
  const neededScopes = createNeededScopes({
    now,
    write: createNeedWriter({ database, now }),
    flushIntervalMs: 2 ** 30,
  })
  const debugRecorder = createDebugRecorder({
    store: createDebugWindowStore(database),
    vault,
    now,
    intervalMs: 2 ** 30,
  })
  const observeEgress = (gateway: EgressGateway) =>
    recordProviderRequests(gateway, {
      requestLog,
      accountErrors,
      debugRecorder,
      statistics,
      now,
    })
  const pair = sharesRunner
    ? sharedRunner()
    : startRunner({ allow, resolve, emulator, findDeclared, observeEgress })
  const runnerPair = sharesRunner
    ? { ...pair, egressGateway: observeEgress(pair.egressGateway) }
    : pair
  const bundledCatalogue = options.catalogue
  const app = await buildApp({
    database,
    vault,
    ...runnerPair,
    now,
    log,
    counters,
    statistics,
    requestLog,
    accountErrors,
    neededScopes,
    debugRecorder,
    bundledCatalogue: bundledCatalogue ?? { ...EMPTY_CATALOGUE, runtimes: await loadRuntimes() },
    acmeSandbox: TEST_SANDBOX,
    emulator,
    baseUrl: options.baseUrl ?? (() => BASE_URL),
    clientMetadataUrl: options.clientMetadataUrl,
    canRegisterClients: options.canRegisterClients,
    trustProxy: options.trustProxy ?? [],
    auditIp: options.auditIp,
    consoleCallMs: 60_000,
    consoleUrl: options.consoleUrl === undefined ? undefined : () => options.consoleUrl ?? '',
    refreshCounts: options.refreshCounts,
    workMetrics: options.workMetrics,
    tracing: options.tracing,
    rates: options.rates,
    maxConnections: options.maxConnections,
    metricsToken: options.metricsToken,
    oidc: options.oidc,
    drainState: options.drainState ?? { isDraining: false },
    proxyLimits: options.proxyLimits,
    bulkIntervalMs: options.bulkIntervalMs,
    approvalWaitMs: options.approvalWaitMs,
    failedCheckBudgets: options.failedCheckBudgets,
  })
  const token = generateAccessToken()
  await ensureOwner({
    database,
    vault,
    users: createUserStore(database),
    workspaces: createWorkspaceStore(database),
    tokens: createTokenStore(database),
    email: 'owner@localhost',
    token,
    saveToken: async () => {},
    tokenSeconds: undefined,
    now,
  })
  if (bundledCatalogue !== undefined) {
    const stores = {
      bundles: createBundleStore(database),
      catalogue: createCatalogueStore(database),
    }
    await syncCatalogue(
      { database, log, now, ...stores },
      listBundledIntegrations(bundledCatalogue),
    )
  }
  if (options.listens) await app.listen({ port: 0, host: '127.0.0.1' })
  else await app.ready()
  sharedContract ??= createResponseContract(app.swagger() as unknown as ApiDocument)
  const contract = sharedContract
  const call = (method: string, url: string, callOptions: CallOptions = {}) =>
    inject(options.listens ? sendOverHttp : injectRequest, app, contract, method, url, {
      ...callOptions,
      token: callOptions.token === undefined ? token : callOptions.token,
    })
  const { workspace_id: workspaceId } = await database.read
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '!=', CATALOGUE_WORKSPACE_ID)
    .executeTakeFirstOrThrow()
  const revocable = { app: Proxy.revocable(app, {}), database: Proxy.revocable(database, {}) }
  const context: TestApp = {
    app: revocable.app.proxy,
    database: revocable.database.proxy,
    counters,
    statistics,
    requestLog,
    accountErrors,
    neededScopes,
    debugRecorder,
    token,
    workspaceId,
    logs,
    call,
    createToken: async (body = {}) =>
      expectStatus(201, await call('POST', '/v1/user/token', { body: { name: 'test', ...body } }))
        .token,
    async otherUser() {
      const email = `${crypto.randomUUID()}@example.com`
      const { user, token: otherToken } = expectStatus(
        201,
        await call('POST', '/v1/user', { body: { email } }),
      )
      return { token: otherToken, workspaceId: user.Workspace[0].workspaceId, userId: user.userId }
    },
    async close() {
      await app.close()
      await Promise.all([counters.stop(), statistics.stop()])
      if (!sharesRunner) await closeRunner(runnerPair)
      await database.close()
      await rm(dir, { recursive: true, force: true })
      empty(context)
      revocable.app.revoke()
      revocable.database.revoke()
    },
  }
  return context
}

/**
 * Removes the members of a context that is closed. The test runner keeps the functions of every test until the process ends, and with
 * them what these refer to: the services of all files of a process would fill its memory.
 */
function empty(context: TestApp): void {
  for (const name of Object.keys(context)) Reflect.deleteProperty(context, name)
  // Not a function of `testApp`, whose variables it would keep.
  Object.assign(context, { close: async () => {} })
}

const injectRequest: typeof sendOverHttp = (app, request) => app.inject(request)

async function inject(
  send: typeof sendOverHttp,
  app: FastifyInstance,
  contract: ResponseContract,
  method: string,
  path: string,
  options: CallOptions,
): Promise<TestResponse> {
  const { token, body, payload, headers = {} } = options
  const url = path.startsWith('!') ? path.slice(1) : `/api${path}`
  const request: InjectOptions = {
    method: method as 'GET',
    url,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined && payload === undefined
        ? {}
        : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined
      ? { payload }
      : body === undefined
        ? {}
        : { payload: JSON.stringify(body) }),
  }
  const response = await send(app, { ...request, url })
  const isJson = /json(?!l)/.test(String(response.headers['content-type'] ?? ''))
  const testResponse = {
    status: response.statusCode,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : undefined,
    text: response.body,
    headers: response.headers,
  }
  contract(method, url, testResponse)
  return testResponse
}

function expectStatus(status: number, response: TestResponse) {
  if (response.status !== status)
    throw new Error(`expected ${status}, got ${response.status}: ${response.text}`)
  return response.body
}
