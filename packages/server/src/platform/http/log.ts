import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { EgressError, RunnerError } from '@linchpin/runner'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { ApiError } from '../errors.ts'

export type Log = Logger

/**
 * A logger that writes JSON lines. Request lines never contain a body, header, query or link URL, and no line has a whole
 * capability: see `shortenCapabilities`.
 *
 * @param level a pino level
 * @param stream where lines are written; default: standard output
 */
export function createLog(level: string, stream?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeForLog },
    hooks: { streamWrite: shortenCapabilities },
  }
  return stream === undefined ? pino(options) : pino(options, stream)
}

const failuresByRequest = new WeakMap<FastifyRequest, ApiError>()

/** Records why a request failed, for its log line. */
export function logFailure(request: FastifyRequest, failure: ApiError): void {
  failuresByRequest.set(request, failure)
}

/** Why a request failed, if it did. */
export function getFailure(request: FastifyRequest): ApiError | undefined {
  return failuresByRequest.get(request)
}

const fieldsByRequest = new WeakMap<FastifyRequest, Readonly<Record<string, string>>>()

/** Adds fields to the log line of a request that failed without an error response. They must contain no secrets. */
export function addLogFields(
  request: FastifyRequest,
  fields: Readonly<Record<string, string>>,
): void {
  fieldsByRequest.set(request, { ...fieldsByRequest.get(request), ...fields })
}

/** What the record of a change says of the request that made it. */
export function describeRequest(request: FastifyRequest) {
  return {
    requestId: request.id,
    ip: request.auditIp,
    addLogFields: (fields: Readonly<Record<string, string>>) => addLogFields(request, fields),
  }
}

/** The fields of the log line of a request so far. */
export function getLogFields(request: FastifyRequest): Readonly<Record<string, string>> {
  return fieldsByRequest.get(request) ?? {}
}

const expected = new WeakSet<FastifyRequest>()

/** Keeps the log line of a 5xx response at level info, because it reports no failure. */
export function logAsExpected(request: FastifyRequest): void {
  expected.add(request)
}

/** Logs one line per request: successful reads at debug, 5xx errors of the service at error, all others at info. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = getLogLevel(request, reply)
    if (!(request.log as Logger).isLevelEnabled(level)) return done()
    const failure = failuresByRequest.get(request)
    request.log[level]({
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...fieldsByRequest.get(request),
      ...(failure === undefined ? {} : { error: failure.code, ...describeCause(failure) }),
    })
    done()
  })
}

/**
 * Without stacks for an error that says it `isExpected`: while a database is away, background work writes ten lines a second.
 */
function serializeForLog(error: unknown): object {
  const isExpected =
    error instanceof EgressError || (error as { isExpected?: unknown } | null)?.isExpected === true
  return isExpected ? omitStacks(serializeError(error)) : serializeError(error)
}

function omitStacks({ stack: _, cause, ...rest }: SerializedError): object {
  return cause === undefined ? rest : { ...rest, cause: omitStacks(cause) }
}

interface SerializedError {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly cause?: SerializedError
  readonly [property: string]: unknown
}

/** Serializes the type, message, code and stack of an error; other properties could contain request data. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value other than an Error was thrown', stack: '' }
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error instanceof EgressError ? { detail: error.detail } : {}),
    stack: error.stack ?? '',
    ...(error.cause instanceof Error ? { cause: serializeError(error.cause) } : {}),
  }
}

function getLogLevel(request: FastifyRequest, reply: FastifyReply): 'debug' | 'info' | 'error' {
  if (reply.statusCode >= 500 && !isUpstreamResponse(reply.raw) && !expected.has(request))
    return 'error'
  return reply.statusCode < 400 && request.method === 'GET' ? 'debug' : 'info'
}

/**
 * A stack only for internal errors: a database that is away would write two per refused request. The message of a parser
 * repeats its input, so the causes of 4xx errors are omitted, except those of the egress gateway and the runner.
 */
function describeCause(failure: ApiError): Record<string, unknown> {
  const { cause } = failure
  if (!(cause instanceof Error)) return failure.statusCode >= 500 ? { reason: failure.message } : {}
  if (failure.code === 'internal_error') return { err: cause }
  if (cause instanceof EgressError) return { cause: cause.detail }
  if (cause instanceof RunnerError) return { cause: cause.message }
  return failure.statusCode >= 500 ? { cause: describeError(cause) } : {}
}

/** An error and its causes in one line. */
function describeError({ name, message, cause }: Error): string {
  const own = `${name}: ${message}`
  return cause instanceof Error ? `${own} (${describeError(cause)})` : own
}

/** What caused some work: the request with this id, or a background job with this name. */
export type LogOrigin = { readonly reqId: string } | { readonly job: string }

// Like the fields of log.ts, this belongs to a piece of work, not to the module.
const origins = new AsyncLocalStorage<LogOrigin>()

/** What caused the work in progress, for the log lines of code that does not know its request; empty if unknown. */
export function getLogOrigin(): LogOrigin | Record<string, never> {
  return origins.getStore() ?? {}
}

/** Runs background work under the name of its job, whichever request has started it. */
export function runJob<T>(job: string, work: () => T): T {
  return origins.run({ job }, work)
}

/** Makes each request the origin of what its validation and its handler do. */
export function setLogOrigins(app: FastifyInstance): void {
  // After the body: its events have the context of the connection.
  app.addHook('preValidation', (request, _reply, done) => origins.run({ reqId: request.id }, done))
}

const upstreamResponses = new WeakSet<ServerResponse>()

/** Marks a response as forwarded from a provider: its status is not an error of this service. */
export function markUpstreamResponse(response: ServerResponse): void {
  upstreamResponses.add(response)
}

/** Whether a response was forwarded from a provider. */
export function isUpstreamResponse(response: ServerResponse): boolean {
  return upstreamResponses.has(response)
}

/**
 * A text in which values that give access to their readers have only their first 8 characters: ids of links, tokens of
 * connect sessions and of the API, and secrets of webhook endpoints. For what is retained for long or read by many: the log
 * and the audit trail.
 */
export function shortenCapabilities(text: string): string {
  return text.replaceAll(CAPABILITIES, (value) => value.slice(0, 8))
}

const CAPABILITIES =
  /lnk_[0-9a-z]{32}|cnt_[A-Za-z0-9_-]{27}|(?:lp|las)_[0-9A-Za-z]{36}|whsec_[A-Za-z0-9+/]{20,}={0,2}/g
