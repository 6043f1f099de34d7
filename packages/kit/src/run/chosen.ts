import type { AuthKind } from '../auth/auth-kind.ts'
import type { Definition } from '../definition.ts'
import type { Config } from './fill.ts'

/**
 * The auth type that a configuration names; the only one, if there is just one.
 *
 * @throws Error if there is no such type
 */
export function kindOf({ auth }: Definition, authType: string): AuthKind {
  const kind = Object.hasOwn(auth, authType) ? auth[authType] : undefined
  if (kind) return kind
  throw new Error(`There is no auth type ${authType}: ${Object.keys(auth).join(', ')}.`)
}

/** The defaults of fields without a value. */
export function defaultsOf(definition: Definition, authType: string): Config {
  const fields = { ...definition.inputs, ...kindOf(definition, authType).fields }
  const given = Object.entries(fields).map(([name, field]) => [name, field.property.default])
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/** The base URL of an auth type, as a template. */
export function baseUrlOf(definition: Definition, authType: string): string {
  const said = kindOf(definition, authType).apiBaseUrl ?? definition.apiBaseUrl
  return said ?? `https://${definition.hosts[0]}`
}
