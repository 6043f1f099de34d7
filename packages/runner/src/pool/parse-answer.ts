/**
 * Reads the JSON that a bundle answered. Keys named `__proto__` are dropped, lone surrogates replaced, so that the
 * value can be merged, stored and sent by code that is careless about either.
 *
 * @returns undefined when it is not JSON or nested deeper than 100
 */
export function parseAnswer(json: string): { readonly value: unknown } | undefined {
  try {
    const parsed: unknown = JSON.parse(json)
    return { value: clean(parsed, 0) }
  } catch {
    return undefined
  }
}

const DEEPEST = 100

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(
    entries.map(([key, item]) => [key.toWellFormed(), clean(item, depth + 1)]),
  )
}
