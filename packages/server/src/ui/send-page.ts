import type { FastifyReply } from 'fastify'

/** What a page may do beyond showing itself. */
export interface PagePermissions {
  /** The nonce that its styles and scripts carry (newNonce); without it, it runs none and has only our style sheet. */
  readonly nonce?: string | undefined
  /** Left out, the nonce is for scripts too; false: for styles alone. */
  readonly allowsScripts?: boolean | undefined
  /** Given for pages that stand in a frame: the exact origins that may hold it; none of them: nobody may. */
  readonly frameAncestors?: readonly string[] | undefined
  /** Its forms lead to us alone, redirects included. */
  readonly sameOriginOnly?: boolean | undefined
  /** Origins beyond https and loopback that a form of the page may lead to, redirects included. */
  readonly formOrigins?: readonly string[] | undefined
  /** Stands in a window that another page opened: it keeps its tie, so that it can be closed. */
  readonly isPopup?: boolean | undefined
}

/** Sends a page of ours: nothing from elsewhere, no frame around it unless it is named, no trace of its address. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  page: string,
  permissions: PagePermissions = {},
): FastifyReply {
  return setSecurityHeaders(reply, permissions)
    .code(status)
    .type('text/html; charset=utf-8')
    .send(page)
}

/** Sends the person on. The address that they leave is told to nobody. A redirect cuts no tie between windows. */
export function redirect(reply: FastifyReply, url: string): FastifyReply {
  return setSecurityHeaders(reply, { isPopup: true }).header('location', url).code(303).send()
}

function setSecurityHeaders(reply: FastifyReply, permissions: PagePermissions): FastifyReply {
  const isFramed = permissions.frameAncestors !== undefined
  reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', buildContentSecurityPolicy(permissions))
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', isFramed ? 'cross-origin' : 'same-origin')
  // `X-Frame-Options` cannot name origins: in a frame the policy alone speaks. COOP counts for top pages only.
  // Pages that are isolated hold no other frames. No cookie is read for one, so nobody learns anything by loading it.
  if (isFramed) return reply.header('cross-origin-embedder-policy', 'require-corp')
  reply.header('x-frame-options', 'DENY')
  return permissions.isPopup === true
    ? reply
    : reply.header('cross-origin-opener-policy', 'same-origin-allow-popups')
}

/**
 * `form-action` counts for redirects after a form too. A sign-in may pass through any number of hosts: every one over
 * https, or on loopback for development. Plain http elsewhere is for the operator to open, one place at a time.
 */
function buildContentSecurityPolicy({
  nonce,
  allowsScripts = nonce !== undefined,
  frameAncestors = [],
  formOrigins = [],
  sameOriginOnly = false,
}: PagePermissions): string {
  const nonceSource = nonce === undefined ? '' : `'nonce-${nonce}'`
  const ancestors = frameAncestors.filter((origin) => ORIGIN_PATTERN.test(origin))
  const externalTargets = [
    HTTPS_AND_LOOPBACK,
    ...formOrigins.filter((origin) => ORIGIN_PATTERN.test(origin)),
  ]
  const formActions = ["'self'", ...(sameOriginOnly ? [] : externalTargets)]
  return [
    "default-src 'none'",
    ...(!allowsScripts ? [] : [`script-src ${nonceSource}`, "connect-src 'self'"]),
    `style-src 'self' ${nonceSource}`.trimEnd(),
    "img-src 'self'",
    `form-action ${formActions.join(' ')}`,
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ')
}

const HTTPS_AND_LOOPBACK = 'https: http://localhost:* http://127.0.0.1:*'

/** A scheme, a host and a port, with nothing that could end the directive or widen it. */
const ORIGIN_PATTERN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/
