import { readPageQuery, writePageQuery } from './page-query.ts'

/**
 * Where a person begins again whose page cannot be loaded now: the same link, in the place that the address or the form
 * named. Undefined when it named no link.
 */
export function againUrl(
  mode: 'page' | 'frame',
  linkId: string | undefined,
  given: URLSearchParams,
): string | undefined {
  if (linkId === undefined || linkId === '') return undefined
  const query = readPageQuery(given)
  const place = query && writePageQuery(query, { integration: query.integration, auth: query.auth })
  const path = `/link/${mode === 'frame' ? 'frame/' : ''}${encodeURIComponent(linkId)}`
  return place ? `${path}?${place}` : path
}
