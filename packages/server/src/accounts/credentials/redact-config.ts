import type { InputProperty } from '@linchpin/runner'
import type { ConfigFields } from './config-fields.ts'

/** Names of fields that are public by default. Exact and few: think before you add one. */
const PUBLIC_NAMES = new Set([
  'client_id',
  'scope',
  'scopes',
  'org',
  'organisation',
  'organization',
  'domain',
  'subdomain',
  'region',
  'site',
  'host',
  'base_url',
  'workspace',
  'account_id',
  'email',
  'username',
])

/**
 * The fields of a configuration that responses may show. A field is secret unless the spec declares it and either
 * marks it `x-secret: false` or gives it a public name. Password and write-only fields are always secret.
 */
export function redactConfig(
  config: Readonly<Record<string, unknown>>,
  fields: ConfigFields,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).filter(([name, value]) => {
      const property = fields.properties.get(name)
      return property !== undefined && isPublic(name, property) && isPrimitive(value)
    }),
  )
}

function isPublic(name: string, property: InputProperty): boolean {
  if (property.format === 'password' || property.writeOnly === true) return false
  const secretFlag = property['x-secret']
  if (typeof secretFlag === 'boolean') return !secretFlag
  return PUBLIC_NAMES.has(name) || /_(?:domain|region)$/.test(name)
}

/** Objects and arrays could contain a secret. */
function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}
