/** A JSON object, or a parsed form. Read it with `getField`, because names such as `__proto__` are ordinary data here. */
export type ResponseFields = Readonly<Record<string, unknown>>

/**
 * Parses a response body as JSON or as a form. The format is detected, because providers send wrong content types.
 * Undefined for anything else: HTML, arrays, strings, empty bodies, invalid UTF-8, forms with repeated names.
 */
export function parseResponseBody(
  body: Uint8Array,
  contentType: string,
): ResponseFields | undefined {
  const text = decode(body)?.trim()
  if (!text) return undefined
  const json = parseJson(text)
  if (json !== undefined) return asObject(json)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType.trim())
  return isForm || FORM_PATTERN.test(text) ? parseForm(text) : undefined
}

/** The value of an own field. */
export function getField(fields: ResponseFields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** Whether a response reports an error regardless of its status: `error`, `ok: false`, `success: false`. */
export function reportsError(fields: ResponseFields): boolean {
  const hasError = !EMPTY_ERRORS.has(JSON.stringify(getField(fields, 'error')))
  const isUnsuccessful = getField(fields, 'ok') === false || getField(fields, 'success') === false
  return hasError || isUnsuccessful
}

/** Values of `error` that some providers send with tokens. */
const EMPTY_ERRORS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'null',
  'false',
  '0',
  '""',
  '[]',
  '{}',
])

/** The value as an object with fields; undefined if it is not an object. */
export function asObject(value: unknown): ResponseFields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { ...value }
}

/** `name=value&…` without whitespace and tags. */
const FORM_PATTERN = /^[\w.-]{1,64}=[^\s<>{}]*$/

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseForm(text: string): ResponseFields | undefined {
  if (/[<\s]/.test(text)) return undefined
  const entries = [...new URLSearchParams(text)]
  const hasRepeatedNames = new Set(entries.map(([name]) => name)).size < entries.length
  return hasRepeatedNames ? undefined : Object.fromEntries(entries)
}
