import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ExampleResponse } from './route.ts'

/** Sends a response, compressed with gzip when the client accepts it. */
export function sendResponse(
  response: ServerResponse,
  exampleResponse: ExampleResponse,
  acceptEncoding: string | undefined,
): void {
  const text =
    typeof exampleResponse.body === 'string'
      ? exampleResponse.body
      : JSON.stringify(exampleResponse.body)
  const gzip = /\bgzip\b/.test(acceptEncoding ?? '')
  const bytes = gzip ? gzipSync(text) : Buffer.from(text)
  response.writeHead(exampleResponse.status, {
    'Content-Type': 'application/json; charset=utf-8',
    Vary: 'Accept-Encoding',
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
    ...exampleResponse.headers,
    'Content-Length': bytes.length,
  })
  // Node omits the body of a response to HEAD.
  response.end(bytes)
}
