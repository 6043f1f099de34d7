import { parsePageQuery, serializePageQuery } from './page-query.ts'

/**
 * Where a person begins again whose page cannot be loaded now: the same link, in the place that the address or the form
 * named. Undefined when it named no link.
 */
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
