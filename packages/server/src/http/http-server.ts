import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ApiError } from '../errors.ts'
import { toApiException } from './api-exception.ts'
import {
  handleClientError,
  minimalHeaders,
  sendError,
  type TranslateError,
  toApiError,
  transportHeaders,
} from './error-handler.ts'
import { acceptJsonOnly } from './json-body.ts'
import { limitConnections } from './limit-connections.ts'
import { type Log, logFailure, logRequests } from './log.ts'
import { createMethodTable, type MethodTable } from './method-table.ts'
import { createSerializerCompiler } from './serializer.ts'
import { validateQueries } from './validate-queries.ts'
import { createValidatorCompiler } from './validation.ts'
import { warnAboutUntrustedProxy } from './warn-about-untrusted-proxy.ts'

export interface HttpServerOptions {
  readonly log: Log
  /** Addresses of proxies whose forwarded headers count. */
  readonly trustProxy: readonly string[]
  /** How failures of the service's parts become ApiErrors. */
  readonly translateError: TranslateError
  /** The public base URL. */
  readonly baseUrl: () => string
  readonly now: () => number
  /** Connections at once. Default: 4,096. */
  readonly maxConnections?: number | undefined
}

/** A Fastify, and how an encapsulated part of it answers paths that it does not have. */
export interface HttpServer {
  readonly app: FastifyInstance
  readonly throwNotFound: (request: FastifyRequest) => never
}

const BODY_LIMIT = 64 * 1024
const MAX_URL = 4_096

/**
 * A Fastify that knows nothing of the domain: JSON in and out, every refusal an ApiException, Fastify's and Node's own
 * included, and no request without bounds.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const app = newFastify(options)
  limitConnections(app, { ...options, maxConnections: options.maxConnections ?? 4_096 })
  setCompilers(app)
  // Hooks that every request passes call back: each promise would cost it a microsecond.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(transportHeaders(options.baseUrl()))
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    assertWellFormed(request)
    done()
  })
  acceptJsonOnly(app)
  validateQueries(app)
  warnAboutUntrustedProxy(app)
  logRequests(app)
  app.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(error, options.translateError)
    logFailure(request, apiError)
    sendError(apiError, request, reply, options)
  })
  rejectExpectations(app, options)
  const methodTable = createMethodTable(app)
  const throwNotFound = (request: FastifyRequest) => throwUnknownRoute(request, methodTable)
  app.setNotFoundHandler(throwNotFound)
  // Before anything reads the body of a request that has nowhere to go, and after the caller is known.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.is404) throwNotFound(request)
    done(null, payload)
  })
  return { app, throwNotFound }
}

function newFastify(options: HttpServerOptions): FastifyInstance {
  const { translateError } = options
  return Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request themselves; a logger per request would cost every request.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    genReqId: () => randomUUID(),
    rewriteUrl: ({ url = '/' }) => escapeUndecodableUrl(url),
    // Above what the parser lets in, so that `refuseMalformed` measures every URL.
    routerOptions: { maxParamLength: 4 * MAX_URL },
    // Node looks for late requests every 30 s by default: headers would live for up to 40 s.
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
  // Plugins do not inherit them once a schema is added: Fastify then builds its default compilers.
  app.addHook('onRegister', setOn)
}

/** Ids that are not well-formed are unknown ids, so escapes that spell no text must reach the routes, as they are. */
function escapeUndecodableUrl(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

function assertWellFormed(request: FastifyRequest): void {
  // Node would answer a missing Host itself, with an empty body (RFC 9112, section 3.2).
  if (request.raw.httpVersion === '1.1' && countHostHeaders(request) !== 1)
    throw new ApiError('malformed_request', 'HTTP/1.1 needs one Host header.')
  if (request.originalUrl.length > MAX_URL)
    throw new ApiError('uri_too_long', `The URL is longer than ${MAX_URL} characters.`)
}

/** Node keeps the first of several. */
function countHostHeaders({ raw }: FastifyRequest): number {
  return raw.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length
}

function throwUnknownRoute(request: FastifyRequest, methodTable: MethodTable): never {
  const methods = methodTable.getMethods(request.url)
  if (methods.length === 0) throw new ApiError('route_not_found', 'There is nothing at this path.')
  throw new ApiError('method_not_allowed', `This path takes ${methods.join(', ')}.`, {
    headers: { allow: methods.join(', ') },
  })
}

/** Node answers an `Expect` that it does not know with an empty 417, past every hook. */
function rejectExpectations(app: FastifyInstance, { now, baseUrl }: HttpServerOptions): void {
  app.server.on('checkExpectation', (request, response) => {
    const apiError = new ApiError('expectation_failed', 'Only Expect: 100-continue is understood.')
    const body = JSON.stringify(toApiException(apiError, request.url ?? '/', now()))
    response
      .writeHead(apiError.statusCode, {
        ...minimalHeaders(baseUrl()),
        'Content-Length': Buffer.byteLength(body),
      })
      .end(body)
  })
}
