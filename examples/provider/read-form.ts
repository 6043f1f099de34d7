import type { ExampleRequest } from './route.ts'

/** Parses a form or a JSON object of strings; undefined when the body is neither. */
export function readForm(request: ExampleRequest): Record<string, string> | undefined {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(request.body))
  }
  try {
    const value: unknown = JSON.parse(request.body)
    if (typeof value !== 'object' || value === null) return undefined
    return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
  } catch {
    return undefined
  }
}
