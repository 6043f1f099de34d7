import type { Fields } from '../spec/field.ts'

/** The name of the first secret field, otherwise of the first field. */
export function getFirstSecret(fields: Fields): string | undefined {
  const names = Object.keys(fields)
  return names.find((name) => fields[name]?.property.format === 'password') ?? names[0]
}
