/** The answer on one line: only the named fields (all without names), long texts and lists cut. */
export function shorten(value: unknown, fields?: readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => shorten(item, fields)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(cutText(value))
  const all = Object.entries(value)
  const shown = fields ? all.filter(([name]) => fields.includes(name)) : all
  const parts = shown.map(([name, item]) => `${name}: ${shorten(item)}`)
  if (shown.length < all.length) parts.push('…')
  return parts.length > 0 ? `{ ${parts.join(', ')} }` : '{}'
}

const MAX_TEXT = 80

function cutText(value: unknown): unknown {
  const long = typeof value === 'string' && value.length > MAX_TEXT
  return long ? `${value.slice(0, MAX_TEXT)}…` : value
}
