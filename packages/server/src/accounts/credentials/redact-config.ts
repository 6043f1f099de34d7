import type { InputProperty } from '@linchpin/runner'
import type { ConfigFields } from './config-fields.ts'

/** Names that are public without a mark (design section 4). Exact, short, and not to grow lightly. */
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
 * The fields of a configuration that answers may show. Everything is secret unless the spec knows the field and it is
 * marked `x-secret: false` or has a public name; passwords and write-only fields are secret always.
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

/** Objects and lists could hide a secret inside. */
function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}
