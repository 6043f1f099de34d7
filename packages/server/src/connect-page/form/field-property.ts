import type { InputProperty } from '@linchpin/runner'

const MAX_LABEL = 100
/** Words that are written in upper case. */
const UPPERCASE_WORDS = new Set([
  'api',
  'id',
  'url',
  'uri',
  'pat',
  'sid',
  'pin',
  'ssl',
  'aws',
  'sso',
])

/** The label of a field: its title, else its name as words (`api_key` → "API key"). */
export function getFieldLabel(name: string, { title }: InputProperty): string {
  const explicitTitle = typeof title === 'string' ? title.trim() : ''
  return (explicitTitle === '' ? humanize(name) : explicitTitle).slice(0, MAX_LABEL)
}

function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
    .map((word) => (UPPERCASE_WORDS.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return words === '' ? name : words.replace(/^./u, (firstLetter) => firstLetter.toUpperCase())
}

/** Names of secrets in specs without markers. */
const SECRET_NAME =
  /secret|token|passw|passphrase|credential|private_?key|service_?account|(?:api|access|auth|app|license|signing|encryption)[_-]?key|^key$/i

/**
 * Whether a field is masked on the page and never rendered into it: when the spec marks it as secret or, without markers,
 * when its name looks like one. This concerns display only; storage treats more values as secret.
 */
export function isMasked(name: string, property: InputProperty): boolean {
  const { format, writeOnly, 'x-secret': isMarkedSecret } = property
  if (format === 'password' || writeOnly === true) return true
  // The object is entered as one text, so a nested secret makes all of it secret.
  if (
    Object.entries(listNestedFields(property)).some(([nestedName, nestedProperty]) =>
      isMasked(nestedName, nestedProperty),
    )
  )
    return true
  if (typeof isMarkedSecret === 'boolean') return isMarkedSecret
  return SECRET_NAME.test(name)
}

/** The properties of an object, or of the objects in a list, by name. */
export function listNestedFields(property: InputProperty): Readonly<Record<string, InputProperty>> {
  const { properties, items } = property as Readonly<Record<string, unknown>>
  const nested = properties ?? (isObject(items) ? items.properties : undefined)
  if (!isObject(nested)) return {}
  const fields = Object.entries(nested).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  )
  return Object.fromEntries(fields.map(([name, value]) => [name, sanitizeProperty(value)]))
}

type JsonObject = Readonly<Record<string, unknown>>

/** Keeps only keywords of the expected type, because spec validation covers top-level fields only. */
function sanitizeProperty(value: JsonObject): InputProperty {
  const entries = Object.entries(value).filter(([name, value]) => {
    const expectedType = EXPECTED_TYPES[name]
    return (
      expectedType === undefined ||
      (expectedType === 'object' ? isObject(value) : typeof value === expectedType)
    )
  })
  const { enum: values, ...property } = Object.fromEntries(entries)
  return Array.isArray(values) ? { ...property, enum: values } : property
}

const EXPECTED_TYPES: Readonly<Record<string, string>> = {
  title: 'string',
  description: 'string',
  format: 'string',
  pattern: 'string',
  minLength: 'number',
  maxLength: 'number',
  minimum: 'number',
  maximum: 'number',
  writeOnly: 'boolean',
  'x-placeholder': 'string',
  'x-help-url': 'string',
  'x-order': 'number',
  'x-secret': 'boolean',
  'x-labels': 'object',
  'x-i18n': 'object',
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A spec's pattern as a `pattern` attribute, or undefined when it may be unsafe. Patterns are untrusted: only anchored ones
 * of characters, classes and counts pass, with at most one unbounded quantifier. The server validates every pattern in the
 * sandbox in any case.
 */
export function getPatternHint(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > 200 || !SAFE_PATTERN.test(pattern))
    return undefined
  const unboundedQuantifiers = pattern.match(/[+*]|,\}/g)?.length ?? 0
  // Browsers compile the attribute with the stricter `v` flag, which requires a trailing hyphen to be escaped.
  return unboundedQuantifiers <= 1 ? pattern.replace(/(?<!\\)-\]/g, String.raw`\-]`) : undefined
}

const CHARACTER = String.raw`[A-Za-z0-9_:@ =-]|\\[.dwWDsS+*?()/]`
const CLASS = String.raw`\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.:@ =]|\\[dw.\-])+-?\]`
const CHOICE = String.raw`\((?:\?:)?[A-Za-z0-9_]+(?:\|[A-Za-z0-9_]+)*\)`
const COUNT = String.raw`(?:\{\d{1,3}(?:,\d{0,3})?\}|[+*?])?`
const SAFE_PATTERN = new RegExp(String.raw`^\^(?:(?:${CLASS}|${CHOICE}|${CHARACTER})${COUNT})+\$$`)
