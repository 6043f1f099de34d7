import type { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace as traceApi,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addLogFields, getLogFields } from '../../../platform/http/log.ts'
import type { RequestIds } from '../../../platform/http/request-ids.ts'

export interface TraceRequestsDeps {
  readonly tracer: Tracer
  readonly contexts: AsyncLocalStorage<Context>
  readonly requestIds: Pick<RequestIds, 'getTraceParent'>
}

/** A server span for each request, with the route template and the ids of workspace and token; its log line names the trace. */
export function traceRequests(
  app: FastifyInstance,
  { tracer, contexts, requestIds }: TraceRequestsDeps,
): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = getParent(request, requestIds)
    const { method, protocol } = request
    const route = request.routeOptions.url
    const span = tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'url.scheme': protocol,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      },
      parent,
    )
    spans.set(request, span)
    addLogFields(request, { traceId: span.spanContext().traceId })
    done()
  })
  // After the body: its events have the context of the connection.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else contexts.run(traceApi.setSpan(ROOT_CONTEXT, span), done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    const { workspaceId, tokenId } = getLogFields(request)
    span?.setAttributes({
      'http.response.status_code': reply.statusCode,
      ...(workspaceId === undefined ? {} : { 'linchpin.workspace_id': workspaceId }),
      ...(tokenId === undefined ? {} : { 'linchpin.token_id': tokenId }),
    })
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}

function getParent(
  request: FastifyRequest,
  { getTraceParent }: TraceRequestsDeps['requestIds'],
): Context {
  const parent = getTraceParent(request.raw)
  if (parent === undefined) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return traceApi.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
