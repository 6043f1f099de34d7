import { pipeline } from 'node:stream/promises'
import type { EgressStream } from '@linchpin/runner'
import type { FastifyReply } from 'fastify'
import { markUpstreamResponse } from '../http/upstream-response-marker.ts'
import { LINCHPIN_HEADERS, responseHeaders } from './response-headers.ts'

/**
 * Hands a provider's answer on as it comes, its head at once. What breaks off is broken off here too, so that half an
 * answer never looks like a whole one.
 */
export async function sendResponse(reply: FastifyReply, response: EgressStream): Promise<void> {
  const linchpinHeaders = { ...reply.getHeaders(), ...LINCHPIN_HEADERS }
  reply.hijack()
  markUpstreamResponse(reply.raw)
  const { raw } = reply
  raw.writeHead(response.status, [
    ...responseHeaders(response.rawHeaders, response.status),
    ...Object.entries(linchpinHeaders).flatMap(([name, value]) => [name, String(value)]),
  ])
  // Not flushHeaders, which writes the bytes of headers as UTF-8 once more.
  raw.write('', 'latin1')
  try {
    await pipeline(response.body, raw)
  } catch {
    // The gate has logged why, and the socket is gone.
    raw.destroy()
  }
}
