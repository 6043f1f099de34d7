/** Formats a response on one line of at most 320 characters: the named fields (default: all), long texts truncated. */
export function shorten(value: unknown, fields?: readonly string[]): string {
  return truncate(oneLine(value, fields), MAX_LINE)
}

const MAX_LINE = 320
const MAX_TEXT = 80

function oneLine(value: unknown, fields?: readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => oneLine(item, fields)).join(', ')}]`
  if (typeof value === 'string') return JSON.stringify(truncate(value, MAX_TEXT))
  if (typeof value !== 'object' || value === null) return String(value)
  const all = Object.entries(value)
  const selected = fields ? all.filter(([name]) => fields.includes(name)) : all
  const parts = selected.map(([name, item]) => `${name}: ${oneLine(item)}`)
  if (selected.length < all.length) parts.push('…')
  return parts.length > 0 ? `{ ${parts.join(', ')} }` : '{}'
}

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
