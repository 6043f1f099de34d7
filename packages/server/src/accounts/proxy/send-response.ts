import { pipeline } from 'node:stream/promises'
import type { EgressStream } from '@linchpin/runner'
import type { FastifyReply } from 'fastify'
import { markUpstreamResponse } from '../../platform/http/upstream-response-marker.ts'

/**
 * Streams a provider's response to the caller, sending the head immediately. Destroys the connection if the provider's
 * breaks, so that an incomplete response never looks complete.
 */
export async function sendResponse(reply: FastifyReply, response: EgressStream): Promise<void> {
  const linchpinHeaders = { ...reply.getHeaders(), ...LINCHPIN_HEADERS }
  reply.hijack()
  markUpstreamResponse(reply.raw)
  const { raw } = reply
  raw.writeHead(response.status, [
    ...filterResponseHeaders(response.rawHeaders, response.status),
    ...Object.entries(linchpinHeaders).flatMap(([name, value]) => [name, String(value)]),
  ])
  // flushHeaders would encode header bytes as UTF-8 a second time.
  raw.write('', 'latin1')
  try {
    await pipeline(response.body, raw)
  } catch {
    // The egress gateway has logged the error, and the socket is closed.
    raw.destroy()
  }
}

/**
 * The provider's headers for the caller, as a flat list of names and values. Removes hop-by-hop headers, and headers that
 * would change the state of a browser or the policies of Linchpin's origin.
 *
 * @param rawHeaders flat list of names and values, as received
 */
export function filterResponseHeaders(rawHeaders: readonly string[], status: number): string[] {
  const hopByHop = new Set(listConnectionOptions(rawHeaders))
  const forwarded: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const key = name.toLowerCase()
    if (STRIPPED_HEADERS.test(key) || hopByHop.has(key) || !isValidHeader(name, value)) continue
    // RFC 9110 section 8.6
    if (key === 'content-length' && status === 204) continue
    forwarded.push(name, value)
  }
  return forwarded
}

/** Added to every response of a provider, so that browsers treat it as untrusted data. */
export const LINCHPIN_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'linchpin-proxy': 'provider',
}

const STRIPPED_HEADERS = new RegExp(
  `^(?:${[
    // RFC 9110 section 7.6.1
    'connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade',
    // Set by Linchpin
    'date|cache-control|expires|pragma|age|x-request-id|linchpin-.*',
    // State and behavior of a browser
    'set-cookie2?|clear-site-data|refresh|service-worker.*|alt-svc|origin-trial|sourcemap|x-sourcemap',
    // Policies of an origin, which would be Linchpin's here
    'strict-transport-security|public-key-pins.*|expect-ct|content-security-policy.*|x-content-type-options',
    'x-frame-options|x-xss-protection|referrer-policy|permissions-policy.*|feature-policy|document-policy.*',
    'access-control-.*|timing-allow-origin|cross-origin-.*|origin-agent-cluster|x-permitted-.*|x-dns-.*',
    'nel|report-to|reporting-endpoints|speculation-rules|supports-loading-mode|accept-ch.*|critical-ch',
  ].join('|')})$`,
)

function listConnectionOptions(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'connection'
      ? value
          .toLowerCase()
          .split(',')
          .map((option) => option.trim())
      : [],
  )
}

/** Same rules as Node, which would throw while the head is written, too late for an error response. */
function isValidHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
