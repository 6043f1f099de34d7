/**
 * Parses the JSON that a bundle returned. Keys named `__proto__` are dropped and lone surrogates replaced, so the value
 * can be merged, stored and sent by code that handles neither.
 *
 * The time is linear in the length of the text: its shape is measured before it is parsed.
 *
 * @returns undefined when it is not JSON, nested deeper than 100 levels, or has more than 50,000 values
 */
export function parseBundleResult(json: string): { readonly value: unknown } | undefined {
  if (!hasAllowedShape(json)) return undefined
  try {
    const parsed: unknown = JSON.parse(json)
    return { value: needsCleaning(json) ? clean(parsed) : parsed }
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 100
const MAX_VALUES = 50_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Counts brackets and commas outside strings. The parser checks whether they match. */
function hasAllowedShape(json: string): boolean {
  let depth = 0
  let values = 1
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) isInString = !isInString
    else if (isInString) {
      if (unit === BACKSLASH) at++
    } else if (unit === COMMA) values++
    else if (OPENING.has(unit)) {
      depth++
      values++
    } else if (CLOSING.has(unit)) depth--
    if (depth > MAX_DEPTH || values > MAX_VALUES) return false
  }
  return true
}

/** Returns false only if the value certainly has neither a lone surrogate nor a key named `__proto__`. */
function needsCleaning(json: string): boolean {
  return json.includes('__proto__') || json.includes('\\u') || !json.isWellFormed()
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => clean(item))
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), clean(item)]))
}
