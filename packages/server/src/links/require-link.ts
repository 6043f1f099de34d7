import type { AccessScope } from '../auth/caller.ts'
import { notFound } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { Link } from './link.ts'
import type { LinkStore } from './link-store.ts'

export interface RequireLinkDeps {
  readonly links: LinkStore
}

/** The link with this id, in any state. @throws ApiError `link_not_found` */
export async function requireLink(
  deps: RequireLinkDeps,
  caller: AccessScope,
  linkId: string,
): Promise<Link> {
  const link = isId('lnk', linkId) ? await deps.links.find(caller, linkId) : undefined
  if (link === undefined) throw notFound('link')
  return link
}
