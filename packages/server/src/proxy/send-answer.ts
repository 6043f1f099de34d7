import { pipeline } from 'node:stream/promises'
import type { GateStream } from '@linchpin/runner'
import type { FastifyReply } from 'fastify'
import { noteProviderAnswer } from '../http/provider-answer.ts'
import { OUR_HEADERS, responseHeaders } from './response-headers.ts'

/**
 * Hands a provider's answer on as it comes, its head at once. What breaks off is broken off here too, so that half an
 * answer never looks like a whole one.
 */
export async function sendAnswer(reply: FastifyReply, answer: GateStream): Promise<void> {
  const ours = { ...reply.getHeaders(), ...OUR_HEADERS }
  reply.hijack()
  noteProviderAnswer(reply.raw)
  const { raw } = reply
  raw.writeHead(answer.status, [
    ...responseHeaders(answer.rawHeaders, answer.status),
    ...Object.entries(ours).flatMap(([name, value]) => [name, String(value)]),
  ])
  // Not flushHeaders, which writes the bytes of headers as UTF-8 once more.
  raw.write('', 'latin1')
  try {
    await pipeline(answer.body, raw)
  } catch {
    // The gate has logged why, and the socket is gone.
    raw.destroy()
  }
}
