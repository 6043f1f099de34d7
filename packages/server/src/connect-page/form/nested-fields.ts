import type { InputProperty } from '@linchpin/runner'

/** The properties of an object, or of the objects in a list, by name. */
export function nestedFields(property: InputProperty): Readonly<Record<string, InputProperty>> {
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
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
