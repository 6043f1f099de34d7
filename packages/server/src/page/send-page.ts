import type { FastifyReply } from 'fastify'

/** Sends a page of ours: no script, nothing from elsewhere, no frame around it, no trace of its address. */
export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return guard(reply).code(status).type('text/html; charset=utf-8').send(page)
}

/** Sends the person on. The address that they leave is told to nobody. */
export function sendOn(reply: FastifyReply, url: string): FastifyReply {
  return guard(reply).header('location', url).code(303).send()
}

function guard(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('cross-origin-opener-policy', 'same-origin-allow-popups')
    .header('cross-origin-resource-policy', 'same-origin')
}

/**
 * `form-action` counts for redirects after a form too, and sign-in may pass through any number of hosts: every one over
 * https, or on loopback for development.
 */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "form-action 'self' https: http://localhost:* http://127.0.0.1:*",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
