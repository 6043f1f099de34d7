import type { JsonPath } from '../spec/check-rules.ts'

/** The value in a JSON value at a path; undefined if there is none. An empty path is the value itself. */
export function getByPath(value: unknown, path: JsonPath): unknown {
  let found = value
  for (const part of path === '' ? [] : path.split(/(?<!\\)\./)) {
    const name = part.replaceAll('\\.', '.')
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, name)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}
