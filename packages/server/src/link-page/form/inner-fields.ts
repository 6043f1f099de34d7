import type { InputProperty } from '@linchpin/runner'

/** What a spec says of the inside of an object, or of the objects in a list: names → fields. Nobody has judged it. */
export function innerFields(property: InputProperty): Readonly<Record<string, InputProperty>> {
  const { properties, items } = property as Readonly<Record<string, unknown>>
  const inner = properties ?? (isObject(items) ? items.properties : undefined)
  if (!isObject(inner)) return {}
  return Object.fromEntries(
    Object.entries(inner).filter((entry): entry is [string, InputProperty] => isObject(entry[1])),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
