import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import findMyWay from 'find-my-way'
import { ApiError, routeNotFound } from '../errors.ts'
import { createRequestIds, type RequestIds } from './client-address.ts'
import type { DrainState, RequestInProgress } from './drain.ts'
import {
  type ErrorResponseContext,
  getCommonHeaders,
  getMinimalHeaders,
  handleClientError,
  sendError,
  type TranslateError,
  toApiError,
} from './error-handler.ts'
import { acceptJsonOnly } from './json-body.ts'
import { addLogFields, type Log, logFailure, logRequests, setLogOrigins } from './log.ts'
import { limitConnections } from './overload.ts'
import { toApiException } from './schema.ts'
import { createSerializerCompiler } from './serializer.ts'
import { createValidatorCompiler, validateQueries } from './validation.ts'

export interface HttpServerOptions {
  readonly log: Log
  /** Addresses of trusted proxies, whose forwarded headers are used. */
  readonly trustProxy: readonly string[]
  /** Translates errors of the service's parts to ApiErrors. */
  readonly translateError: TranslateError
  /** Called with the error of each request that fails, before its response. */
  readonly onFailure?: ((request: FastifyRequest, error: ApiError) => void) | undefined
  /** The public base URL. */
  readonly baseUrl: () => string
  readonly now: () => number
  readonly drainState?: DrainState | undefined
  /** Concurrent connections. Default: 4,096. */
  readonly maxConnections?: number | undefined
}

/** A Fastify instance, and the not-found handler for its encapsulated plugins. */
export interface HttpServer {
  readonly app: FastifyInstance
  readonly throwNotFound: (request: FastifyRequest) => never
  /** Whether the hooks of the server would let a request pass without an error, a warning or a log line. */
  readonly isUnremarkable: (request: IncomingMessage) => boolean
  readonly requests: Set<RequestInProgress>
  readonly requestIds: RequestIds
}

const BODY_LIMIT = 64 * 1024
declare module 'fastify' {
  interface FastifyContextConfig {
    /** Longest URL, in characters. Default: that of all routes. */
    readonly maxUrlLength?: number
  }
}

/** Longest URL, in characters, unless the route has a `maxUrlLength` of its own. */
const MAX_URL = 4_096

/**
 * A Fastify instance without any domain knowledge: JSON requests and responses, an ApiException for every error
 * (including those of Fastify and Node), and limits on the size and duration of every request.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const requestIds = createRequestIds(options.trustProxy)
  const app = createFastify(options, requestIds)
  limitConnections(app, { ...options, maxConnections: options.maxConnections ?? 4_096 })
  setCompilers(app)
  const requests = new Set<RequestInProgress>()
  // Hooks of every request use callbacks: a promise would cost each a microsecond.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(getCommonHeaders(options.baseUrl(), request.id))
    requests.add(request)
    const trace = requestIds.getTraceParent(request.raw)
    if (trace !== undefined) addLogFields(request, { traceId: trace.traceId })
    // RFC 9112 section 9.6: the client opens its next connection elsewhere.
    if (options.drainState?.isDraining) reply.header('connection', 'close')
    const { maxUrlLength } = request.routeOptions.config
    done(findDefect(request.raw, request.originalUrl, maxUrlLength))
  })
  prefixUrls(app, options.baseUrl)
  app.addHook('onResponse', (request, _reply, done) => done(void requests.delete(request)))
  acceptJsonOnly(app)
  validateQueries(app)
  const causesNoWarning = warnAboutUntrustedProxy(app)
  logRequests(app)
  setLogOrigins(app)
  app.setErrorHandler((error, request, reply) => {
    const { bodyLimit } = request.routeOptions
    const apiError = toApiError(error, options.translateError, bodyLimit)
    logFailure(request, apiError)
    options.onFailure?.(request, apiError)
    sendError(apiError, request, reply, options)
  })
  rejectExpectations(app, options)
  const methodTable = createMethodTable(app)
  const throwNotFound = (request: FastifyRequest) => throwUnknownRoute(request, methodTable)
  app.setNotFoundHandler(throwNotFound)
  // Before the body of a request to an unknown path is read, and after authentication.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.is404) throwNotFound(request)
    done(null, payload)
  })
  const isUnremarkable = (request: IncomingMessage) =>
    !options.drainState?.isDraining &&
    findDefect(request, request.url ?? '') === undefined &&
    hasNoBody(request) &&
    causesNoWarning(request) &&
    !options.log.isLevelEnabled('debug')
  return { app, throwNotFound, isUnremarkable, requests, requestIds }
}

function createFastify(options: HttpServerOptions, { getRequestId }: RequestIds): FastifyInstance {
  const { translateError } = options
  return Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Log lines name their request explicitly: a child logger per request is expensive.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    genReqId: (request) => getRequestId(request as IncomingMessage),
    rewriteUrl: ({ url = '/' }) => escapeUndecodableUrl(url),
    // Above the limit of the parser, so that `findDefect` measures every URL.
    routerOptions: { maxParamLength: 4 * MAX_URL },
    // Node checks for timeouts every 30 s by default: headers could take up to 40 s.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 500, requireHostHeader: false },
    frameworkErrors: (error, request, reply) =>
      sendError(
        toApiError(error, translateError),
        request,
        reply as unknown as FastifyReply,
        options,
      ),
    clientErrorHandler: (error, socket) => handleClientError(error, socket, options),
  })
}

function setCompilers(app: FastifyInstance): void {
  const validatorCompiler = createValidatorCompiler()
  const serializerCompiler = createSerializerCompiler()
  const setOn = (instance: FastifyInstance) => {
    instance.setValidatorCompiler(validatorCompiler)
    instance.setSerializerCompiler(serializerCompiler)
  }
  setOn(app)
  // Plugins do not inherit the compilers once a schema is added: Fastify then builds its defaults.
  app.addHook('onRegister', setOn)
}

/** Why a request is not well-formed. */
function findDefect(
  request: IncomingMessage,
  url: string,
  maxUrlLength = MAX_URL,
): ApiError | undefined {
  // Node would respond to a missing Host itself, with an empty body (RFC 9112, section 3.2).
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    return new ApiError(
      'malformed_request',
      'An HTTP/1.1 request must have exactly one Host header.',
    )
  const repeated = findRepeatedHeader(request)
  if (repeated !== undefined)
    return new ApiError('malformed_request', `The header ${repeated} must be sent only once.`)
  if (url.length > maxUrlLength)
    return new ApiError('uri_too_long', `The URL is longer than ${maxUrlLength} characters.`)
  return undefined
}

/**
 * The name of a header that has one value and was sent more than once (RFC 9110, section 5.3): a proxy may have checked
 * another one than is used here. Reads the raw headers, because `headers` has only the first of several, or all of them joined.
 */
function findRepeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let distinct = 0
  for (const _ in headers) distinct += 1
  // Nearly always: no name occurs twice, so none has to be compared.
  if (2 * distinct === rawHeaders.length) return undefined
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index] ?? ''
    // Most names differ in their length already.
    if (!SINGLE_LENGTHS.has(length)) continue
    const at = SINGLE_HEADERS.indexOf(rawHeaders[index]?.toLowerCase() ?? '')
    if (at < 0) continue
    if ((seen & (1 << at)) !== 0) return SINGLE_NAMES[at]
    seen |= 1 << at
  }
  return undefined
}

/** Those with one value that decide something here. */
const SINGLE_NAMES = [
  'Host',
  'Authorization',
  'Content-Type',
  'Content-Length',
  'Idempotency-Key',
  'Origin',
  'Sec-Fetch-Site',
  'Sec-Fetch-Mode',
  'Sec-Fetch-Dest',
]
const SINGLE_HEADERS = SINGLE_NAMES.map((name) => name.toLowerCase())
const SINGLE_LENGTHS = new Set(SINGLE_NAMES.map((name) => name.length))

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

function throwUnknownRoute(request: FastifyRequest, methodTable: MethodTable): never {
  const methods = methodTable.getMethods(request.url)
  if (methods.length === 0) throw routeNotFound()
  throw new ApiError('method_not_allowed', `This path accepts ${methods.join(', ')}.`, {
    headers: { allow: methods.join(', ') },
  })
}

/** A malformed id is an unknown id, so invalid percent-encoding must reach the routes unchanged. */
function escapeUndecodableUrl(url: string): string {
  if (!url.includes('%')) return url
  const path = url.split('?', 1)[0] ?? ''
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Another method is 404, not 405 with `Allow`: what is stored decides whether there is anything at the path. */
    isUnlisted?: boolean
  }
}

/** Finds the methods of a path, so that a wrong method is a 405 with `Allow` instead of a 404. */
interface MethodTable {
  getMethods(url: string): string[]
}

/** Must be created before the routes are registered: it records them. */
function createMethodTable(app: FastifyInstance): MethodTable {
  const router = findMyWay({ maxParamLength: 65_536 })
  const methods = new Set<findMyWay.HTTPMethod>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.isUnlisted) return
    for (const routeMethod of [method].flat() as findMyWay.HTTPMethod[]) {
      methods.add(routeMethod)
      if (!router.hasRoute(routeMethod, url)) router.on(routeMethod, url, () => undefined)
    }
  })
  return {
    getMethods(url) {
      const path = url.split('?', 1)[0] ?? '/'
      return [...methods].filter((method) => router.find(method, path) !== null).sort()
    },
  }
}

/**
 * Lets pages work under a path of the public URL that a reverse proxy removes: the paths in their links, forms, scripts and
 * images get that path in front, and so do redirects to a path. The `Link` header contains the whole public URL already.
 *
 * One place instead of one argument for everything that renders a path: a page that is added later works as well.
 */
function prefixUrls(app: FastifyInstance, baseUrl: () => string): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const prefix = new URL(baseUrl()).pathname.replace(/\/$/, '')
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
    if (prefix === '') return done(null, payload)
    const location = reply.getHeader('location')
    if (typeof location === 'string' && /^\/(?!\/)/.test(location))
      reply.header('location', prefix + location)
    if (!isPage || typeof payload !== 'string') return done(null, payload)
    // In texts and in values of attributes, pages escape quotes: what matches is an attribute. `//host` is no path.
    done(
      null,
      payload.replace(PATH_ATTRIBUTE, (_match, name) => `${name}="${prefix}/`),
    )
  })
}

/** Attributes of our pages that contain a URL. */
const PATH_ATTRIBUTE = /(?<=\s)(href|src|action|formaction|poster|data-path)="\/(?!\/)/g

/** Node responds to an unknown `Expect` with an empty 417 before any hook runs. */
function rejectExpectations(app: FastifyInstance, { now, baseUrl }: ErrorResponseContext): void {
  app.server.on('checkExpectation', (request, response) => {
    const apiError = new ApiError('expectation_failed', 'Only Expect: 100-continue is supported.')
    const body = JSON.stringify(toApiException(apiError, request.url ?? '/', now()))
    response
      .writeHead(apiError.statusCode, {
        ...getMinimalHeaders(baseUrl()),
        'Content-Length': Buffer.byteLength(body),
      })
      .end(body)
  })
}

/**
 * Logs a warning once, at the first forwarded header that is ignored: the addresses of clients behind that proxy are
 * unknown, so these clients share every per-address limit.
 *
 * @returns whether a request may bypass this, because its headers cannot cause the warning
 */
function warnAboutUntrustedProxy(app: FastifyInstance): (request: IncomingMessage) => boolean {
  let hasWarned = false
  /** Connections of trusted proxies. */
  const trustedSockets = new WeakSet<Socket>()
  app.addHook('onRequest', (request, _reply, done) => {
    const header = hasWarned ? undefined : findIgnoredHeader(request)
    if (header !== undefined) {
      hasWarned = true
      request.log.warn({ proxy: request.socket.remoteAddress, header }, WARNING)
    } else if (request.headers['x-forwarded-for'] !== undefined) {
      trustedSockets.add(request.socket)
    }
    done()
  })
  return ({ headers, socket }) =>
    hasWarned ||
    (headers['x-forwarded-for'] === undefined
      ? headers.forwarded === undefined
      : trustedSockets.has(socket))
}

const WARNING =
  'ignoring a forwarded header of an untrusted proxy, so all its clients share one address: add the proxy to LINCHPIN_TRUST_PROXY and send X-Forwarded-For'

/** `ips` has more entries than the socket's address if that is a trusted proxy. Only X-Forwarded-For is read. */
function findIgnoredHeader({ headers, ips }: FastifyRequest): string | undefined {
  if (headers['x-forwarded-for'] !== undefined)
    return (ips?.length ?? 1) > 1 ? undefined : 'x-forwarded-for'
  return headers.forwarded === undefined ? undefined : 'forwarded'
}
