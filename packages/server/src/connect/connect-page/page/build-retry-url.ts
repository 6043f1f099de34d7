import { getPagePath, parsePageQuery, serializePageQuery } from './page-context.ts'

/** The URL to retry a page that failed to load: the same link with the same selection. Undefined without a link ID. */
export function buildRetryUrl(
  mode: 'page' | 'frame',
  pageId: string | undefined,
  searchParams: URLSearchParams,
): string | undefined {
  if (pageId === undefined || pageId === '') return undefined
  // A session that could not be shown will not be shown again.
  if (/^cn[st]_/.test(pageId)) return undefined
  const query = parsePageQuery(searchParams)
  const search =
    query && serializePageQuery(query, { integration: query.integration, auth: query.auth })
  const path = getPagePath(pageId, mode)
  return search ? `${path}?${search}` : path
}
