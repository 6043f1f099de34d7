import type { LinkRow } from '../storage/tables.ts'

/** The redirect URLs that the link allows. Undefined: the list of the workspace applies. */
export function ownRedirectUrls(link: Pick<LinkRow, 'redirect_urls'>): string[] | undefined {
  return nonEmpty(link.redirect_urls)
}

/** The origins that may embed the page of the link. Undefined: the list of the workspace applies. */
export function ownOrigins(link: Pick<LinkRow, 'allowed_origins'>): string[] | undefined {
  return nonEmpty(link.allowed_origins)
}

function nonEmpty(column: string): string[] | undefined {
  const list = JSON.parse(column) as string[]
  return list.length === 0 ? undefined : list
}
