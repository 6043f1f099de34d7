/** A JSON object, or a form read as one. Read it with `field`: names like `__proto__` are only data here. */
export type AnswerFields = Readonly<Record<string, unknown>>

/**
 * The fields of an answer's body: JSON or form, told apart by looking, since content types lie. Undefined for
 * everything else: HTML, lists, texts, nothing, bytes that are no UTF-8, forms that repeat a name.
 */
export function readAnswerBody(body: Uint8Array, contentType: string): AnswerFields | undefined {
  const text = decode(body)?.trim()
  if (!text) return undefined
  const json = parseJson(text)
  if (json !== undefined) return asFields(json)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType.trim())
  return isForm || FORM.test(text) ? parseForm(text) : undefined
}

/** One field, if the answer itself has it. */
export function field(fields: AnswerFields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** The value as an object with fields, if it is one. */
export function asFields(value: unknown): AnswerFields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { ...value }
}

/** `name=value&…` without a blank or a tag. */
const FORM = /^[\w.-]{1,64}=[^\s<>{}]*$/

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

function parseForm(text: string): AnswerFields | undefined {
  if (/[<\s]/.test(text)) return undefined
  const entries = [...new URLSearchParams(text)]
  const repeats = new Set(entries.map(([name]) => name)).size < entries.length
  return repeats ? undefined : Object.fromEntries(entries)
}
