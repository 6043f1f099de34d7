/** Values by the names of templates. */
export type Values = Readonly<Record<string, unknown>>

/** Replaces each `${name}` in every text of a JSON value; a name without a value stays. */
export function fill<T>(value: T, values: Values): T {
  if (typeof value === 'string')
    return value.replace(/\$\{([\w.-]+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : whole,
    ) as T
  if (Array.isArray(value)) return value.map((item) => fill(item, values)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, fill(each, values)]),
  ) as T
}

/** A JSON value without the members that have this text. */
export function withoutMembers(value: unknown, text: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== text)
      .map(([name, each]) => [name, withoutMembers(each, text)]),
  )
}
