import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RequestInProgress } from '../../platform/http/drain.ts'
import { getCommonHeaders } from '../../platform/http/error-handler.ts'
import { hasEtag } from '../../platform/http/send-page.ts'
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
import type { Admission, Release } from './request-queue.ts'
import type { AdmittedRequest, RequestRates } from './request-rates.ts'
import {
  createRepresentation,
  createResponseCache,
  type Representation,
  type ResponseCache,
} from './response-cache.ts'

/** What is known of the responses with status 200 of a route. */
export interface DirectRead {
  readonly cache: ResponseCache
  /** Absent: only what the framework has answered since the last commit is sent, with any query. */
  readonly read?: ReadJson | undefined
}

/**
 * Reads the JSON of a response with status 200; undefined for any other response. `id` is the parameter of the path, or empty. On
 * PostgreSQL it runs while the token is being verified, so it must not have effects.
 */
type ReadJson<I extends string = string> = (
  access: WorkspaceAccess,
  id: I,
) => MaybePromise<string | Pick<Representation, 'json' | 'link'> | undefined>

/** Reads responses that are made of nothing but stored data. They are cached until the next commit. */
export function createDirectRead<I extends string>(
  database: Pick<Database, 'readDataVersion'>,
  read?: ReadJson<I>,
): DirectRead {
  return { cache: createResponseCache(database), read: read as ReadJson | undefined }
}

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
  readonly createObserver: (route: string) => (seconds: number, status: DirectStatus) => void
  /** Called for each answer. Returns immediately and never throws. */
  readonly onAnswer?: ((answer: DirectAnswer) => void) | undefined
  readonly requests: Pick<Set<RequestInProgress>, 'add' | 'delete'>
}

/** 304: the client has the response already. */
export type DirectStatus = 200 | 304

/** A successful request that was answered here. */
export interface DirectAnswer {
  /** The route. */
  readonly url: string
  readonly operationId: string
  /** The name of its parameter, or empty, and the value. */
  readonly parameter: string
  readonly id: string
  readonly status: DirectStatus
  readonly caller: Caller
  /** Of what was read, if it is known. */
  readonly workspaceId: string | undefined
  readonly requestId: string
  readonly durationMs: number
}

/**
 * Answers the most frequent reads before the framework, whose routing, hooks and objects cost several times as much as the
 * read. Only successful responses come from here: a request that would get any other response, or has a body or anything
 * unusual, takes the normal path, which knows every error; so does a query, unless its response is cached. Must be called before the routes are registered.
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
    if (match === undefined || recentToken === undefined || !canAnswer(match, recentToken))
      handleNormally()
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
  readonly directRead: DirectRead
  readonly observe: (seconds: number, status: DirectStatus) => void
}

interface Match {
  readonly route: DirectRoute
  readonly url: string
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
  directRead: DirectRead,
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
    directRead,
    observe: createObserver(url),
  }
}

function findRoute(routes: readonly DirectRoute[], url = ''): Match | undefined {
  const pathLength = url.indexOf('?')
  const path = pathLength === -1 ? url : url.slice(0, pathLength)
  for (const route of routes) {
    const { prefix, suffix, idLengths, directRead } = route
    const takesUrl = path === url || directRead.read === undefined
    const idLength = path.length - prefix.length - suffix.length
    if (
      takesUrl &&
      idLengths.includes(idLength) &&
      path.startsWith(prefix) &&
      path.endsWith(suffix)
    )
      return { route, url, id: path.slice(prefix.length, prefix.length + idLength) }
  }
  return undefined
}

/** Whether an attempt is worth it: what is not cached and cannot be read would be authenticated twice. */
function canAnswer({ route, url }: Match, { access }: RecentToken): boolean {
  const { cache, read } = route.directRead
  return read !== undefined || cache.find(access, url, cache.readVersion()) !== undefined
}

function answer(deps: DirectReadDeps, exchange: Exchange, recentToken: RecentToken): void {
  const { request, response, route, handleNormally } = exchange
  const { admission } = deps
  const startedAt = performance.now()
  const requestId = deps.getRequestId(request)
  // Only what waits: the others end before anything can see them.
  const begin = () => {
    const inProgress = { method: 'GET', routeOptions: { url: route.url } }
    deps.requests.add(inProgress)
    return () => void deps.requests.delete(inProgress)
  }
  let admitted: AdmittedRequest | undefined
  let caller: Caller | undefined
  const fallBack = (turn: Release) => {
    admitted?.giveBack()
    admission.handOver(request, { turn })
    handleNormally()
  }
  const send = (representation: Representation | undefined, turn: Release) => {
    if (representation === undefined) return fallBack(turn)
    const status = hasEtag(request, representation.etag) ? 304 : 200
    sendDirectResponse(response, status, representation, {
      ...getCommonHeaders(deps.baseUrl(), requestId),
      ...API_HEADERS,
      ...admitted?.headers,
    })
    turn()
    const durationMs = performance.now() - startedAt
    route.observe(durationMs / 1_000, status)
    if (caller === undefined || deps.onAnswer === undefined) return
    const { url, operationId, parameter } = route
    const { id } = exchange
    const { workspaceId } = representation
    deps.onAnswer({
      url,
      operationId,
      parameter,
      id,
      status,
      caller,
      workspaceId,
      requestId,
      durationMs,
    })
  }
  const readAndSend = (turn: Release) => {
    let found: MaybePromise<Representation | undefined>
    try {
      if (recentToken.rates !== undefined) admitted = deps.rates.admit(recentToken.rates, 'GET')
      found = verifyAndRead(deps, exchange, recentToken, requestId, (verified) => {
        caller = verified
      })
    } catch {
      // Whatever is wrong, the normal path finds it again and reports it.
      return fallBack(turn)
    }
    if (found instanceof Promise)
      found
        .then(
          (representation) => send(representation, turn),
          () => fallBack(turn),
        )
        .finally(begin())
    else send(found, turn)
  }
  let turn: Release | Promise<Release>
  try {
    turn = admission.admitShort(getTenant(recentToken.access))
  } catch (rejection) {
    admission.handOver(request, { rejection })
    handleNormally()
    return
  }
  if (turn instanceof Promise) turn.then(readAndSend).finally(begin())
  else readAndSend(turn)
}

function verifyAndRead(
  { authenticate }: DirectReadDeps,
  match: Exchange,
  recentToken: RecentToken,
  requestId: string,
  onVerified: (caller: Caller) => void,
): MaybePromise<Representation | undefined> {
  const { request, route, id } = match
  const { access } = recentToken
  const check = (caller: Caller) => {
    requireAccess(caller, route.access, { [route.parameter]: id })
    onVerified(caller)
  }
  const caller = authenticate(request.headers.authorization, requestId, recentToken)
  if (!(caller instanceof Promise)) {
    check(caller)
    return readOnce(match, caller)
  }
  // Both statements wait for PostgreSQL at the same time. What is read is sent only if the token is still valid.
  return Promise.all([caller, startRead(match, access)]).then(([verified, found]) => {
    check(verified)
    return hasSameAccess(verified, access) ? found : undefined
  })
}

// Async, so that an error that is thrown also becomes a rejection.
async function startRead(match: Match, access: WorkspaceAccess) {
  return readOnce(match, access)
}

/** Reads a response once for each version of the data. */
function readOnce(
  { route: { directRead }, url, id }: Match,
  access: WorkspaceAccess,
): MaybePromise<Representation | undefined> {
  const { cache, read } = directRead
  const version = cache.readVersion()
  const cached = cache.find(access, url, version)
  if (cached !== undefined) return cached
  const keep = (result: Awaited<ReturnType<ReadJson>>) => {
    if (result === undefined) return undefined
    const { json, link } = typeof result === 'string' ? { json: result, link: undefined } : result
    const representation = createRepresentation(json, { link })
    cache.add(access, url, version, representation)
    return representation
  }
  const result = read?.(access, id)
  return result instanceof Promise ? result.then(keep) : keep(result)
}

function hasSameAccess(a: WorkspaceAccess, b: WorkspaceAccess): boolean {
  return a.userId === b.userId && a.boundWorkspaceId === b.boundWorkspaceId
}

/** Sends a response with the headers that the framework would send. */
function sendDirectResponse(
  response: ServerResponse,
  status: DirectStatus,
  { json, etag, link }: Representation,
  headers: Readonly<Record<string, string | number>>,
): void {
  const own = { ...headers, etag, ...(link === undefined ? {} : { link }) }
  if (status === 304) {
    response.writeHead(304, own).end()
    return
  }
  response
    .writeHead(200, {
      ...own,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
    })
    .end(json)
}
