import assert from 'node:assert/strict'
import { type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance, InjectOptions } from 'fastify'

/** A response as it was received. */
export interface HttpResponse {
  readonly statusCode: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

/**
 * Sends a request to the listening app. A GET is sent twice: on the normal path, to which `Content-Length: 0` forces it, and
 * without that header, so that it may be answered directly. Both responses must be the same.
 */
export async function sendOverHttp(
  app: FastifyInstance,
  options: InjectOptions & { readonly url: string },
): Promise<HttpResponse> {
  if (options.method !== 'GET') return send(app, options)
  const headers = { ...options.headers, 'content-length': '0' }
  const normal = await send(app, { ...options, headers })
  const response = await send(app, options)
  assert.deepEqual(withoutUniqueParts(response), withoutUniqueParts(normal))
  return response
}

async function send(
  app: FastifyInstance,
  { method, url, headers, payload }: InjectOptions & { readonly url: string },
): Promise<HttpResponse> {
  const { port } = app.server.address() as AddressInfo
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const sent = request({
    port,
    host: '127.0.0.1',
    method: method ?? 'GET',
    path: url,
    headers: headers as OutgoingHttpHeaders,
  })
  sent.once('error', reject)
  sent.once('response', (response) => {
    const { statusCode = 0, headers: received } = response
    text(response).then((body) => resolve({ statusCode, headers: received, body }), reject)
  })
  sent.end(payload)
  return promise
}

function withoutUniqueParts({ statusCode, headers, body }: HttpResponse) {
  assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
  const hasCounters = body.includes('"counters":')
  return {
    statusCode,
    // Counters are stored once a second, so that they may differ between two requests.
    headers: {
      ...headers,
      'x-request-id': '',
      date: '',
      'content-length': '',
      ...(hasCounters && { etag: '' }),
    },
    body: body.replace(/"timestamp":"[^"]+"|"counters":\{[^}]*\},"refusals":\[[^\]]*\]/, ''),
  }
}
