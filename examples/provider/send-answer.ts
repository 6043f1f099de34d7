import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Answer } from './route.ts'

/** Sends an answer, gzip-encoded when the caller accepts that. */
export function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  acceptEncoding: string | undefined,
): void {
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  const gzip = /\bgzip\b/.test(acceptEncoding ?? '')
  const bytes = gzip ? gzipSync(text) : Buffer.from(text)
  response.writeHead(answer.status, {
    'Content-Type': 'application/json; charset=utf-8',
    Vary: 'Accept-Encoding',
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
    ...answer.headers,
    'Content-Length': bytes.length,
  })
  // Node leaves the body of an answer to HEAD out by itself.
  response.end(bytes)
}
