/** A JSON object, or a form read as one. Read it with `field`: names like `__proto__` are only data here. */
export type ResponseFields = Readonly<Record<string, unknown>>

/**
 * The fields of an answer's body: JSON or form, told apart by looking, since content types lie. Undefined for
 * everything else: HTML, lists, texts, nothing, bytes that are no UTF-8, forms that repeat a name.
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

/** One field, if the answer itself has it. */
export function getField(fields: ResponseFields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** The value as an object with fields, if it is one. */
export function asObject(value: unknown): ResponseFields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { ...value }
}

/** `name=value&…` without a blank or a tag. */
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
