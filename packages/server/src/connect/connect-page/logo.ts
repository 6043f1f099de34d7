import { createHash } from 'node:crypto'
import type { EgressGateway, Tenant } from '@linchpin/runner'
import type { FastifyReply } from 'fastify'
import type { Workspace } from '../../access/workspaces/workspace.ts'
import type { VisitedSessionStore } from '../connect-sessions/connect-session-store.ts'
import type { LinkPolicy } from '../links/link.ts'
import type { SharedLinkStore } from '../links/link-store.ts'
import { findPageLink, getPagePath } from './page/page-context.ts'

interface LogoDeps {
  readonly logos: LogoCache
  readonly sharedLinks: SharedLinkStore
  readonly visitedSessions: VisitedSessionStore
}

/** Sends the logo of a page's workspace. The URL contains the hash, so browsers may cache it. */
export async function sendLogo(
  deps: LogoDeps,
  pageId: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const policy = await findPageLink(deps, pageId)
  const url = policy?.workspace.settings.theme?.logoUrl
  const logo =
    policy === undefined || url === undefined
      ? undefined
      : deps.logos.find(url, toTenant(policy.link))
  reply
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('content-security-policy', "default-src 'none'; sandbox")
  if (logo === undefined) return reply.code(404).header('cache-control', 'no-store').send()
  return reply
    .header('cache-control', 'private, max-age=86400')
    .type(logo.type)
    .send(Buffer.from(logo.bytes))
}

/** The URL of a workspace's logo on our own origin; undefined without one, and until this node has fetched it. */
export function getLogoUrl(
  { logos }: Pick<LogoDeps, 'logos'>,
  link: LinkPolicy,
  { settings }: Pick<Workspace, 'settings'>,
  pageId: string,
): string | undefined {
  const sourceUrl = settings.theme?.logoUrl
  const logo = sourceUrl === undefined ? undefined : logos.find(sourceUrl, toTenant(link))
  return logo === undefined ? undefined : `${getPagePath(pageId)}/logo?v=${logo.hash}`
}

function toTenant({ workspaceId, linkId }: LinkPolicy): Tenant {
  return { workspaceId, linkId: linkId ?? undefined }
}

/** The logo of a workspace. */
interface Logo {
  readonly bytes: Uint8Array
  readonly type: string
  /** Hash of `bytes`. */
  readonly hash: string
}

interface LogoCacheDeps {
  readonly egressGateway: EgressGateway
  readonly now: () => number
}

const MAX_BYTES = 200_000
const MAX_ENTRIES = 200
const MAX_IN_FLIGHT = 4
const TTL_MS = 60 * 60_000
const RETRY_MS = 10 * 60_000

interface Entry {
  readonly logo: Logo | undefined
  readonly expiresAt: number
}

/**
 * The logos that this node has fetched. Pages don't wait for a logo, so the first one is rendered without it, and browsers
 * load it only from us. A logo is fetched again after an hour, after a failure in ten minutes.
 */
export function createLogoCache({ egressGateway, now }: LogoCacheDeps) {
  const cache = new Map<string, Entry>()
  const inFlight = new Set<string>()

  return {
    /** Returns the cached logo and refreshes it in the background. */
    find(url: string, tenant: Tenant): Logo | undefined {
      const entry = cache.get(url)
      if ((entry === undefined || entry.expiresAt <= now()) && inFlight.size < MAX_IN_FLIGHT)
        refresh(url, tenant)
      return entry?.logo
    },
  }

  function refresh(url: string, tenant: Tenant): void {
    if (inFlight.has(url)) return
    inFlight.add(url)
    void fetchLogo(egressGateway, url, tenant).then((logo) => {
      const previous = cache.get(url)?.logo
      cache.delete(url)
      const oldest = cache.size < MAX_ENTRIES ? undefined : cache.keys().next().value
      if (oldest !== undefined) cache.delete(oldest)
      const expiresAt = now() + (logo === undefined ? RETRY_MS : TTL_MS)
      cache.set(url, { logo: logo ?? previous, expiresAt })
      inFlight.delete(url)
    })
  }
}

export type LogoCache = ReturnType<typeof createLogoCache>

/** Undefined when the download fails, is too large or is not an image; the page then shows a letter. */
async function fetchLogo(
  egressGateway: EgressGateway,
  url: string,
  tenant: Tenant,
): Promise<Logo | undefined> {
  try {
    const { status, body } = await egressGateway.request(
      { method: 'GET', url, headers: { accept: 'image/png, image/webp, image/jpeg' } },
      {
        purpose: 'source',
        tenant,
        timeoutMs: 10_000,
        maxResponseBytes: MAX_BYTES,
        maxRedirects: 3,
        decompress: true,
      },
    )
    const type = status === 200 ? detectImageType(body) : undefined
    if (type === undefined) return undefined
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
    return { bytes: body, type, hash }
  } catch {
    return undefined
  }
}

/** The image type by its first bytes. Only formats that can't contain scripts are supported. */
export function detectImageType(
  bytes: Uint8Array,
): 'image/jpeg' | 'image/png' | 'image/webp' | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  return /^RIFF[\s\S]{4}WEBP/.test(head) ? 'image/webp' : undefined
}
