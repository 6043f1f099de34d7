import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { toApiException } from './api-exception.ts'
import { type ErrorResponseContext, getMinimalHeaders } from './error-handler.ts'

/** Node responds to an unknown `Expect` with an empty 417 before any hook runs. */
export function rejectExpectations(
  app: FastifyInstance,
  { now, baseUrl }: ErrorResponseContext,
): void {
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
