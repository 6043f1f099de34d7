import type { ServerResponse } from 'node:http'
import { getTransportHeaders } from '../../platform/http/error-handler.ts'
import type { AdmittedRead } from './request-rates.ts'

/** Sends the JSON of a direct read, with the headers that the framework would send. */
export function sendDirectResponse(
  response: ServerResponse,
  json: string | Uint8Array,
  requestId: string,
  baseUrl: string,
  rateHeaders: AdmittedRead['headers'] | undefined,
): void {
  response
    .writeHead(200, {
      ...getTransportHeaders(baseUrl),
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
      ...rateHeaders,
    })
    .end(json)
}
