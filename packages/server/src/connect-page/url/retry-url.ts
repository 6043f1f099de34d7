import { parsePageQuery, serializePageQuery } from './page-query.ts'

/** The URL to retry a page that failed to load: the same link with the same selection. Undefined without a link ID. */
export function retryUrl(
  mode: 'page' | 'frame',
  linkId: string | undefined,
  searchParams: URLSearchParams,
): string | undefined {
  if (linkId === undefined || linkId === '') return undefined
  const query = parsePageQuery(searchParams)
  const search =
    query && serializePageQuery(query, { integration: query.integration, auth: query.auth })
  const path = `/link/${mode === 'frame' ? 'frame/' : ''}${encodeURIComponent(linkId)}`
  return search ? `${path}?${search}` : path
}
