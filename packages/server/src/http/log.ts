import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { ApiError } from '../errors.ts'
import { isUpstreamResponse } from './upstream-response-marker.ts'

export type Log = Logger

/**
 * JSON lines of chosen facts. No body, header, query or address of a link is ever among them.
 *
 * @param level a pino level
 * @param stream where lines go; default: standard output
 */
export function createLog(level: string, stream?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError },
  }
  return stream === undefined ? pino(options) : pino(options, stream)
}

const failuresByRequest = new WeakMap<FastifyRequest, ApiError>()

/** Remembers why a request failed, for its line in the log. */
export function logFailure(request: FastifyRequest, failure: ApiError): void {
  failuresByRequest.set(request, failure)
}

/** One line a request: reads that went well at debug, all else at info, our own failures at error. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const failure = failuresByRequest.get(request)
    const level = getLogLevel(request, reply)
    request.log[level]({
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(failure === undefined ? {} : { error: failure.code, ...describeCause(failure) }),
    })
    done()
  })
}

interface SerializedError {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly [property: string]: unknown
}

/** The parts of an error that say what went wrong, and no property that could carry a value. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is no Error was thrown', stack: '' }
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.name === 'EgressError' && typeof detail === 'string' ? { detail } : {}),
    stack: error.stack ?? '',
    ...(error.cause instanceof Error ? { cause: serializeError(error.cause) } : {}),
  }
}

function getLogLevel(request: FastifyRequest, reply: FastifyReply): 'debug' | 'info' | 'error' {
  if (reply.statusCode >= 500 && !isUpstreamResponse(reply.raw)) return 'error'
  return reply.statusCode < 400 && request.method === 'GET' ? 'debug' : 'info'
}

/** A parser's message repeats what it parsed, so causes of refused input stay out, but for the gate's. */
function describeCause(failure: ApiError): Record<string, unknown> {
  const { cause } = failure
  if (!(cause instanceof Error)) return failure.statusCode >= 500 ? { reason: failure.message } : {}
  if (failure.statusCode >= 500) return { err: cause }
  return cause.name === 'EgressError' || cause.name === 'RunnerError'
    ? { cause: (cause as { detail?: string }).detail ?? cause.message }
    : {}
}
