import type { FastifyReply } from 'fastify'
import type { Link } from '../../links/link.ts'
import { isId } from '../../storage/id.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'
import type { SharedLinkStore } from '../stores/shared-link-store.ts'
import type { LogoCache } from './logo-cache.ts'

interface LogoDeps {
  readonly logos: LogoCache
  readonly sharedLinks: SharedLinkStore
}

/** Sends the logo of a link's workspace. The URL contains the hash, so browsers may cache it. */
export async function sendLogo(
  deps: LogoDeps,
  linkId: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sharedLink = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  const url = sharedLink?.workspace.settings.theme?.logoUrl
  const workspaceId = sharedLink?.link.workspaceId ?? ''
  const logo = url === undefined ? undefined : deps.logos.find(url, { workspaceId, linkId })
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

/** The URL of the logo; undefined until this node has fetched it. */
export function logoUrl(
  { logos }: Pick<LogoDeps, 'logos'>,
  { linkId, workspaceId }: Link,
  settings: StoredSettings,
): string | undefined {
  const url = settings.theme?.logoUrl
  const logo = url === undefined ? undefined : logos.find(url, { workspaceId, linkId })
  return logo === undefined ? undefined : `/link/${linkId}/logo?v=${logo.hash}`
}
