import type { AuthMethod } from '../auth/auth-method.ts'
import type { Definition } from '../definition.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import type { Config } from '../values/fill.ts'

/**
 * The auth type that a configuration names; the only one, if there is just one.
 *
 * @throws Error if there is no such type
 */
export function getAuthMethod({ auth }: Definition, authType: string): AuthMethod {
  const authMethod = Object.hasOwn(auth, authType) ? auth[authType] : undefined
  if (authMethod) return authMethod
  throw new Error(`There is no auth type ${authType}: ${Object.keys(auth).join(', ')}.`)
}

/** The defaults of fields without a value. */
export function getDefaults(definition: Definition, authType: string): Config {
  const fields = { ...definition.inputs, ...getAuthMethod(definition, authType).fields }
  const defaults = Object.entries(fields).map(([name, field]) => [name, field.property.default])
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined))
}

/** The base URL of an auth type, as a template. */
export function getBaseUrl(definition: Definition, authType: string): string {
  const template = getAuthMethod(definition, authType).apiBaseUrl ?? definition.apiBaseUrl
  return template ?? `https://${definition.hosts[0]}`
}

/** Names in `config` that no field has: values of the sign-in, and facts. */
export function getLaterNames(definition: Definition, authType: string): readonly string[] {
  const facts = getFacts(definition, authType).map(({ name }) => name)
  return [...getAuthMethod(definition, authType).signInValues, ...facts]
}

/** The facts that a connection of an auth type has. */
export function getFacts(definition: Definition, authType: string): readonly DeclaredFact[] {
  return getAuthMethod(definition, authType).after ?? definition.after ?? []
}
