import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ExampleResponse } from './route.ts'

/** Sends an answer, gzip-encoded when the caller accepts that. */
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
  // Node leaves the body of an answer to HEAD out by itself.
  response.end(bytes)
}
