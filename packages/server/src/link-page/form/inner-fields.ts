import type { InputProperty } from '@linchpin/runner'

/** What a spec says of the inside of an object, or of the objects in a list: names → fields. */
export function innerFields(property: InputProperty): Readonly<Record<string, InputProperty>> {
  const { properties, items } = property as Readonly<Record<string, unknown>>
  const inner = properties ?? (isObject(items) ? items.properties : undefined)
  if (!isObject(inner)) return {}
  const fields = Object.entries(inner).filter((entry): entry is [string, Given] =>
    isObject(entry[1]),
  )
  return Object.fromEntries(fields.map(([name, given]) => [name, cleaned(given)]))
}

type Given = Readonly<Record<string, unknown>>

/** The judge of specs looks at the outer fields alone: of these, only what is of the right kind is taken over. */
function cleaned(given: Given): InputProperty {
  const kept = Object.entries(given).filter(([name, value]) => {
    const kind = KINDS[name]
    return kind === undefined || (kind === 'object' ? isObject(value) : typeof value === kind)
  })
  const { enum: values, ...property } = Object.fromEntries(kept)
  return Array.isArray(values) ? { ...property, enum: values } : property
}

const KINDS: Readonly<Record<string, string>> = {
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

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
