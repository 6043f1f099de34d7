/** Values of query parameters. Those that are undefined or null are not sent. */
export type Query = object

/**
 * A path whose IDs are encoded: path`/link/${linkId}`.
 *
 * @throws TypeError for an ID that is empty or would change the path
 */
export function path(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: texts }, ...ids.map(encodeId))
}

/** The ID as one segment of a path. @throws TypeError */
export function encodeId(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('An ID is missing.')
  return encodeURIComponent(id)
}

/** A query string with its question mark; empty without parameters. Arrays are repeated parameters. */
export function toSearch(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) search.append(name, String(one))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
