import type { FastifyReply } from 'fastify'

/** What a page may do beyond showing itself. */
export interface PageRights {
  /** The nonce that its styles and scripts carry (newNonce); without it, it runs none and has only our style sheet. */
  readonly nonce?: string | undefined
  /** Left out, the nonce is for scripts too; false: for styles alone. */
  readonly isScripted?: boolean | undefined
  /** Given for pages that stand in a frame: the exact origins that may hold it; none of them: nobody may. */
  readonly frameAncestors?: readonly string[] | undefined
  /** Its forms lead to us alone, redirects included. */
  readonly staysHere?: boolean | undefined
  /** Origins beyond https and loopback that a form of the page may lead to, redirects included. */
  readonly formOrigins?: readonly string[] | undefined
  /** Stands in a window that another page opened: it keeps its tie, so that it can be closed. */
  readonly isBeside?: boolean | undefined
}

/** Sends a page of ours: nothing from elsewhere, no frame around it unless it is named, no trace of its address. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  page: string,
  rights: PageRights = {},
): FastifyReply {
  return guard(reply, rights).code(status).type('text/html; charset=utf-8').send(page)
}

/** Sends the person on. The address that they leave is told to nobody. A redirect cuts no tie between windows. */
export function sendOn(reply: FastifyReply, url: string): FastifyReply {
  return guard(reply, { isBeside: true }).header('location', url).code(303).send()
}

function guard(reply: FastifyReply, rights: PageRights): FastifyReply {
  const isFramed = rights.frameAncestors !== undefined
  reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy(rights))
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', isFramed ? 'cross-origin' : 'same-origin')
  // `X-Frame-Options` cannot name origins: in a frame the policy alone speaks. COOP counts for top pages only.
  // Pages that are isolated hold no other frames. No cookie is read for one, so nobody learns anything by loading it.
  if (isFramed) return reply.header('cross-origin-embedder-policy', 'require-corp')
  reply.header('x-frame-options', 'DENY')
  return rights.isBeside === true
    ? reply
    : reply.header('cross-origin-opener-policy', 'same-origin-allow-popups')
}

/**
 * `form-action` counts for redirects after a form too. A sign-in may pass through any number of hosts: every one over
 * https, or on loopback for development. Plain http elsewhere is for the operator to open, one place at a time.
 */
function policy({
  nonce,
  isScripted = nonce !== undefined,
  frameAncestors = [],
  formOrigins = [],
  staysHere = false,
}: PageRights): string {
  const marked = nonce === undefined ? '' : `'nonce-${nonce}'`
  const ancestors = frameAncestors.filter((origin) => ORIGIN.test(origin))
  const away = [ANYWHERE, ...formOrigins.filter((origin) => ORIGIN.test(origin))]
  const forms = ["'self'", ...(staysHere ? [] : away)]
  return [
    "default-src 'none'",
    ...(!isScripted ? [] : [`script-src ${marked}`, "connect-src 'self'"]),
    `style-src 'self' ${marked}`.trimEnd(),
    "img-src 'self'",
    `form-action ${forms.join(' ')}`,
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ')
}

const ANYWHERE = 'https: http://localhost:* http://127.0.0.1:*'

/** A scheme, a host and a port, with nothing that could end the directive or widen it. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/
