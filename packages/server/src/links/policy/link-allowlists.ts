import type { LinkRow } from '../../storage/tables.ts'

/** The link's own addresses that people may be sent back to. Undefined: the workspace's list counts. */
export function ownRedirectUrls(link: Pick<LinkRow, 'redirect_urls'>): string[] | undefined {
  return nonEmpty(link.redirect_urls)
}

/** The link's own origins that may embed its page. Undefined: the workspace's list counts. */
export function ownOrigins(link: Pick<LinkRow, 'allowed_origins'>): string[] | undefined {
  return nonEmpty(link.allowed_origins)
}

function nonEmpty(column: string): string[] | undefined {
  const list = JSON.parse(column) as string[]
  return list.length === 0 ? undefined : list
}
