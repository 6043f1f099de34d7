import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Catalogue } from '@linchpin/catalogue'
import { createGate, createRunner, type GateOptions, parseAllowList } from '@linchpin/runner'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { buildApp } from '../src/app.ts'
import { newAccessToken } from '../src/caller/access-token.ts'
import { createCatalogueStore } from '../src/catalogue/catalogue-store.ts'
import { offersOf } from '../src/catalogue/offer.ts'
import { syncCatalogue } from '../src/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../src/definition/bundle-store.ts'
import { createLog } from '../src/http/log.ts'
import { createLinkCounters, type LinkCounters } from '../src/link/counters/link-counters.ts'
import type { FailedCheckBudgets } from '../src/link-page/send/failed-checks.ts'
import type { Draining } from '../src/operate/health.ts'
import type { ProxyLimits } from '../src/proxy/proxy-limits.ts'
import { type Database, openDatabase } from '../src/storage/database.ts'
import { createTokenStore } from '../src/token/token-store.ts'
import { ensureOwner } from '../src/user/ensure-owner.ts'
import { createUserStore } from '../src/user/user-store.ts'
import { parseKeys } from '../src/vault/key-ring.ts'
import { createVault } from '../src/vault/vault.ts'
import { createWorkspaceStore } from '../src/workspace/workspace-store.ts'
import { type AnswerContract, type ApiDocument, createAnswerContract } from './answer-contract.ts'
import type { AnyBody } from './any-body.ts'

/** An answer, its body parsed. */
export interface Answer {
  readonly status: number
  readonly body: AnyBody
  readonly text: string
  readonly headers: Record<string, unknown>
}

export interface CallOptions {
  /** Default: the owner's. null sends none. */
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Sent as it is, instead of `body`. */
  readonly payload?: string | Buffer
}

/**
 * The whole service in one variable: a real database, gate, jail and vault; requests go through inject(). Every answer
 * to `call` is held against the OpenAPI document that the service publishes.
 */
export interface TestApp {
  readonly app: FastifyInstance
  readonly database: Database
  /** Counts are in the database after `flush()`. */
  readonly counters: LinkCounters
  /** The owner's token: every scope, every workspace. */
  readonly token: string
  /** The owner's only workspace. */
  readonly workspaceId: string
  /** Log lines so far. */
  readonly logs: string[]
  /** `path` starts behind /api, such as `/v1/link`, unless it starts with `!`. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A token of the owner with these narrowings. */
  mint(body?: Record<string, unknown>): Promise<string>
  /** Another user with a workspace of its own. */
  stranger(): Promise<{ token: string; workspaceId: string; userId: string }>
  close(): Promise<void>
}

export interface TestAppOptions {
  /** PostgreSQL instead of a SQLite file. */
  readonly url?: string
  /** The clock. Default: the real one. */
  readonly now?: () => number
  /** Whether the service is going down: set it to look at a service that does. */
  readonly draining?: Draining
  /** LINCHPIN_EGRESS_ALLOW. Default: loopback. */
  readonly allow?: string
  /** The integrations that come with the service. Default: none. */
  readonly catalogue?: Catalogue
  /** Default: those of production. */
  readonly proxyLimits?: ProxyLimits
  /** How names are resolved. Default: as in production. */
  readonly resolve?: GateOptions['resolve']
  /** Default: those of production. */
  readonly failedCheckBudgets?: FailedCheckBudgets
  /** LINCHPIN_TRUST_PROXY. Default: none. */
  readonly trustProxy?: readonly string[]
  /** Where the service says that it is. Default: somewhere that nothing listens. */
  readonly baseUrl?: () => string
  /** Default: 4,096. */
  readonly maxConnections?: number
  /** Default: none. */
  readonly metricsToken?: string
}

const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`
const BASE_URL = 'http://localhost:3000'

/** Starts one. Close it in `after`. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const now = options.now ?? Date.now
  const dir = await mkdtemp(path.join(tmpdir(), 'linchpin-test-'))
  const database = await openDatabase({ url: options.url, file: path.join(dir, 'linchpin.db') })
  await database.migrate()
  const vault = createVault({ database, keys: parseKeys(TEST_KEYS), now })
  await vault.verify()
  const logs: string[] = []
  const log = createLog('debug', { write: (line) => void logs.push(line) })
  const counters = createLinkCounters({ database, log })
  const gate = createGate({
    allow: parseAllowList(options.allow ?? '127.0.0.0/8'),
    resolve: options.resolve,
  })
  const runner = createRunner({ gate, children: 1 })
  const bundledCatalogue = options.catalogue
  const app = await buildApp({
    database,
    vault,
    gate,
    runner,
    now,
    log,
    counters,
    bundledCatalogue,
    baseUrl: options.baseUrl ?? (() => BASE_URL),
    trustProxy: options.trustProxy ?? [],
    maxConnections: options.maxConnections,
    metricsToken: options.metricsToken,
    draining: options.draining ?? { isDraining: false },
    proxyLimits: options.proxyLimits,
    failedCheckBudgets: options.failedCheckBudgets,
  })
  const token = newAccessToken()
  await ensureOwner({
    database,
    vault,
    users: createUserStore(database),
    workspaces: createWorkspaceStore(database),
    tokens: createTokenStore(database),
    email: 'owner@localhost',
    token,
    keepToken: async () => {},
    tokenSeconds: undefined,
    now,
  })
  if (bundledCatalogue !== undefined) {
    const stores = {
      bundles: createBundleStore(database),
      catalogue: createCatalogueStore(database),
    }
    await syncCatalogue({ database, log, now, ...stores }, await offersOf(bundledCatalogue))
  }
  await app.ready()
  const contract = createAnswerContract(app.swagger() as unknown as ApiDocument)
  const call = (method: string, url: string, given: CallOptions = {}) =>
    inject(app, contract, method, url, {
      ...given,
      token: given.token === undefined ? token : given.token,
    })
  const workspaceId = answered(200, await call('GET', '/v1/user')).Workspace[0].workspaceId
  return {
    app,
    database,
    counters,
    token,
    workspaceId,
    logs,
    call,
    mint: async (body = {}) =>
      answered(201, await call('POST', '/v1/user/token', { body: { name: 'test', ...body } }))
        .token,
    async stranger() {
      const email = `${crypto.randomUUID()}@example.com`
      const { user, token: theirs } = answered(
        201,
        await call('POST', '/v1/user', { body: { email } }),
      )
      return { token: theirs, workspaceId: user.Workspace[0].workspaceId, userId: user.userId }
    },
    async close() {
      await app.close()
      await counters.stop()
      await Promise.all([runner.close(), gate.close()])
      await database.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function inject(
  app: FastifyInstance,
  contract: AnswerContract,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer> {
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
  const response = await app.inject(request)
  const isJson = String(response.headers['content-type'] ?? '').includes('json')
  const answer = {
    status: response.statusCode,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : undefined,
    text: response.body,
    headers: response.headers,
  }
  contract(method, url, answer)
  return answer
}

function answered(status: number, answer: Answer) {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
  return answer.body
}
