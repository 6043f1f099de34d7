import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RequestInProgress } from '../../platform/http/drain.ts'
import { getCommonHeaders } from '../../platform/http/error-handler.ts'
import type { Database, MaybePromise } from '../../platform/storage/database.ts'
import type { Authenticate, RecentToken } from './authenticate.ts'
import { API_HEADERS } from './authenticate-requests.ts'
import {
  type Caller,
  getTenant,
  type RouteAccess,
  requireAccess,
  type WorkspaceAccess,
} from './caller.ts'
import type { Admission } from './request-queue.ts'
import type { AdmittedRequest, RequestRates } from './request-rates.ts'

/**
 * Reads the JSON of a response with status 200, as text or in UTF-8; undefined for any other response. `id` is the parameter of the path, or
 * empty. On PostgreSQL it runs while the token is being verified, so it must not have effects.
 */
export type DirectRead<I extends string = string> = (
  access: WorkspaceAccess,
  id: I,
) => MaybePromise<Json | undefined>

type Json = string | Uint8Array

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers the plain requests of this route before they reach the framework. */
    readonly directRead?: DirectRead
  }
}

export interface DirectReadDeps {
  readonly authenticate: Authenticate
  readonly admission: Admission
  readonly rates: Pick<RequestRates, 'admit'>
  /** Whether all hooks before authentication would let the request pass without an effect. */
  readonly isUnremarkable: (request: IncomingMessage) => boolean
  readonly getRequestId: (request: IncomingMessage) => string
  /** The public base URL. */
  readonly baseUrl: () => string
  /** Creates a function that observes the duration of a successful request of a route, in seconds. */
  readonly createObserver: (route: string) => (seconds: number) => void
  /** Called for each answer. Returns immediately and never throws. */
  readonly onAnswer?: ((answer: DirectAnswer) => void) | undefined
  readonly requests: Pick<Set<RequestInProgress>, 'add' | 'delete'>
}

/** A successful request that was answered here. */
export interface DirectAnswer {
  /** The route. */
  readonly url: string
  readonly operationId: string
  /** The name of its parameter, or empty, and the value. */
  readonly parameter: string
  readonly id: string
  readonly caller: Caller
  readonly requestId: string
  readonly durationMs: number
}

/**
 * Answers the most frequent reads before the framework, whose routing, hooks and objects cost several times as much as the
 * read. Only successful responses come from here: a request that would get any other response, or has a query, a body or
 * anything unusual, takes the normal path, which knows every error. Must be called before the routes are registered.
 */
export function serveDirectReads(app: FastifyInstance, deps: DirectReadDeps): void {
  const routes: DirectRoute[] = []
  app.addHook('onRoute', ({ url, method, config, schema }) => {
    const { operationId = '' } = (schema ?? {}) as { readonly operationId?: string }
    if (config?.directRead !== undefined && method === 'GET')
      routes.push(createDirectRoute(deps, { url, operationId }, config, config.directRead))
  })
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  const handle = app.server.listeners('request').at(-1) as RequestListener
  app.server.removeListener('request', handle)
  app.server.on('request', (request, response) => {
    const match = isClosing || request.method !== 'GET' ? undefined : findRoute(routes, request.url)
    const recentToken =
      match !== undefined && deps.isUnremarkable(request)
        ? deps.authenticate.findRecent(request.headers.authorization)
        : undefined
    const handleNormally = () => handle.call(app.server, request, response)
    if (match === undefined || recentToken === undefined) handleNormally()
    else answer(deps, { ...match, request, response, handleNormally }, recentToken)
  })
}

interface DirectRoute {
  readonly url: string
  readonly operationId: string
  readonly prefix: string
  readonly suffix: string
  /** Of the parameter. */
  readonly idLengths: readonly number[]
  /** The name of the parameter, or empty. */
  readonly parameter: string
  readonly access: RouteAccess
  readonly read: DirectRead
  readonly observe: (seconds: number) => void
}

interface Match {
  readonly route: DirectRoute
  readonly id: string
}

interface Exchange extends Match {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly handleNormally: () => void
}

/** Of ids, those of links being longer. */
const ID_LENGTHS = [30, 36]

function createDirectRoute(
  { createObserver }: DirectReadDeps,
  { url, operationId }: Pick<DirectRoute, 'url' | 'operationId'>,
  access: RouteAccess,
  read: DirectRead,
): DirectRoute {
  const [prefix = '', parameter = '', suffix = ''] = url.split(/:(\w+)/)
  return {
    url,
    operationId,
    prefix,
    parameter,
    suffix,
    idLengths: parameter === '' ? [0] : ID_LENGTHS,
    access,
    read,
    observe: createObserver(url),
  }
}

function findRoute(routes: readonly DirectRoute[], path = ''): Match | undefined {
  for (const route of routes) {
    const { prefix, suffix, idLengths } = route
    const idLength = path.length - prefix.length - suffix.length
    if (idLengths.includes(idLength) && path.startsWith(prefix) && path.endsWith(suffix))
      return { route, id: path.slice(prefix.length, prefix.length + idLength) }
  }
  return undefined
}

function answer(deps: DirectReadDeps, exchange: Exchange, recentToken: RecentToken): void {
  const { request, response, route, handleNormally } = exchange
  const { admission } = deps
  const startedAt = performance.now()
  const requestId = deps.getRequestId(request)
  const fallBack = (rejection?: unknown) => {
    admission.handOver(request, rejection)
    handleNormally()
  }
  // Only what waits: the others end before anything can see them.
  const begin = () => {
    const inProgress = { method: 'GET', routeOptions: { url: route.url } }
    deps.requests.add(inProgress)
    return () => void deps.requests.delete(inProgress)
  }
  let admitted: AdmittedRequest | undefined
  let caller: Caller | undefined
  const fallBackUncounted = () => {
    admitted?.giveBack()
    fallBack()
  }
  const send = (json: Json | undefined) => {
    if (json === undefined) return fallBackUncounted()
    sendDirectResponse(response, json, requestId, deps.baseUrl(), admitted?.headers)
    const durationMs = performance.now() - startedAt
    route.observe(durationMs / 1_000)
    if (caller === undefined || deps.onAnswer === undefined) return
    const { operationId, parameter } = route
    const { id } = exchange
    deps.onAnswer({ url: route.url, operationId, parameter, id, caller, requestId, durationMs })
  }
  const readAndSend = () => {
    let json: MaybePromise<Json | undefined>
    try {
      if (recentToken.rates !== undefined) admitted = deps.rates.admit(recentToken.rates, 'GET')
      json = verifyAndRead(deps, exchange, recentToken, requestId, (verified) => {
        caller = verified
      })
    } catch {
      // Whatever is wrong, the normal path finds it again and reports it.
      return fallBackUncounted()
    }
    if (json instanceof Promise) json.then(send, fallBackUncounted).finally(begin())
    else send(json)
  }
  try {
    const turn = admission.admit(request, response, getTenant(recentToken.access))
    if (turn === undefined) readAndSend()
    else turn.then(readAndSend).finally(begin())
  } catch (rejection) {
    fallBack(rejection)
  }
}

function verifyAndRead(
  { authenticate }: DirectReadDeps,
  { request, route, id }: Exchange,
  recentToken: RecentToken,
  requestId: string,
  onVerified: (caller: Caller) => void,
): MaybePromise<Json | undefined> {
  const { read, parameter } = route
  const { access } = recentToken
  const check = (caller: Caller) => {
    requireAccess(caller, route.access, { [parameter]: id })
    onVerified(caller)
  }
  const caller = authenticate(request.headers.authorization, requestId, recentToken)
  if (!(caller instanceof Promise)) {
    check(caller)
    return read(caller, id)
  }
  // Both statements wait for PostgreSQL at the same time. What is read is sent only if the token is still valid.
  return Promise.all([caller, startRead(read, access, id)]).then(([verified, json]) => {
    check(verified)
    return hasSameAccess(verified, access) ? json : undefined
  })
}

// Async, so that an error that is thrown also becomes a rejection.
async function startRead(read: DirectRead, access: WorkspaceAccess, id: string) {
  return read(access, id)
}

function hasSameAccess(a: WorkspaceAccess, b: WorkspaceAccess): boolean {
  return a.userId === b.userId && a.boundWorkspaceId === b.boundWorkspaceId
}

/** Sends the JSON of a direct read, with the headers that the framework would send. */
function sendDirectResponse(
  response: ServerResponse,
  json: string | Uint8Array,
  requestId: string,
  baseUrl: string,
  rateHeaders: AdmittedRequest['headers'] | undefined,
): void {
  response
    .writeHead(200, {
      ...getCommonHeaders(baseUrl, requestId),
      ...API_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
      ...rateHeaders,
    })
    .end(json)
}

/**
 * Caches what a direct read returns, for each access and id, as long as no connection of any process commits. The text must be
 * made of nothing but stored data. On PostgreSQL nothing is cached.
 */
export function cacheDirectRead<I extends string>(
  database: Pick<Database, 'readDataVersion'>,
  read: (access: WorkspaceAccess, id: I) => MaybePromise<Json | undefined>,
): DirectRead {
  const texts = new Map<string, Json>()
  let length = 0
  let cachedVersion: number | undefined

  /** Forgets what was read at another version. */
  function enter(version: number): void {
    if (version === cachedVersion) return
    cachedVersion = version
    length = 0
    texts.clear()
  }

  function keep(key: string, version: number, text: Json | undefined) {
    // If the version has changed meanwhile, the statements may have seen different ones.
    if (text === undefined || database.readDataVersion() !== version) return text
    enter(version)
    if (texts.has(key) || texts.size >= MAX_TEXTS || length + text.length > MAX_LENGTH) return text
    length += text.length
    const encoded =
      typeof text === 'string' && text.length > MAX_STRING_LENGTH ? Buffer.from(text) : text
    texts.set(key, encoded)
    return encoded
  }

  return (access, pathId) => {
    const id = pathId as I
    const version = database.readDataVersion()
    if (version === undefined) return read(access, id)
    enter(version)
    const key = `${access.userId} ${access.boundWorkspaceId} ${id}`
    const cachedText = texts.get(key)
    if (cachedText !== undefined) return cachedText
    const text = read(access, id)
    return text instanceof Promise
      ? text.then((awaited) => keep(key, version, awaited))
      : keep(key, version, text)
  }
}

/** A longer text is encoded only once. A shorter one is written together with the headers. */
const MAX_STRING_LENGTH = 4_000
const MAX_TEXTS = 10_000
/** In characters, of all texts. */
const MAX_LENGTH = 8_000_000
