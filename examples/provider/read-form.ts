import type { Call } from './route.ts'

/** Reads a form or JSON object of texts; undefined when the body is neither. */
export function readForm(call: Call): Record<string, string> | undefined {
  const type = call.headers['content-type'] ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(call.body))
  }
  try {
    const value: unknown = JSON.parse(call.body)
    if (typeof value !== 'object' || value === null) return undefined
    return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
  } catch {
    return undefined
  }
}
