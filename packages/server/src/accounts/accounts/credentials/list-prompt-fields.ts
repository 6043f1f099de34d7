import type { InputProperty } from '@linchpin/runner'
import type { OAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import { isJsonObject, type JsonObject } from '../../../platform/json.ts'
import type { ConfigFields } from './validate-config.ts'

/** Fields that the provider or the OAuth app fills, so users are never prompted for them. */
const PROVIDER_FIELDS: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'authType',
  'client_id',
  'client_secret',
  'refresh_token',
  'scope',
  'scopes',
  'token',
  'token_type',
])

/** The fields of an auth type that users fill in. Fields that the callback provides are optional. */
export function listPromptFields(
  fields: ConfigFields,
  { callbackParams }: Pick<OAuthType, 'callbackParams'>,
): ConfigFields {
  return {
    ...fields,
    properties: new Map([...fields.properties].filter(([name]) => !PROVIDER_FIELDS.has(name))),
    required: fields.required.filter(
      (name) => !PROVIDER_FIELDS.has(name) && !callbackParams.includes(name),
    ),
  }
}

/** Returns the configuration without the fields that the provider or the OAuth app fills. */
export function dropProviderFields(
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !PROVIDER_FIELDS.has(name)))
}

/** Names of secrets in specs without markers. */
const SECRET_NAME =
  /secret|token|passw|passphrase|credential|private_?key|service_?account|(?:api|access|auth|app|license|signing|encryption)[_-]?key|^key$/i

/**
 * Whether a field is masked on the page and never rendered into it: when the spec marks it as secret or, without markers,
 * when its name looks like one. This concerns display only; storage treats more values as secret.
 */
export function isMasked(name: string, property: InputProperty): boolean {
  const { format, writeOnly, 'x-secret': isMarkedSecret } = property
  if (format === 'password' || writeOnly === true) return true
  // The object is entered as one text, so a nested secret makes all of it secret.
  if (
    Object.entries(listNestedFields(property)).some(([nestedName, nestedProperty]) =>
      isMasked(nestedName, nestedProperty),
    )
  )
    return true
  if (typeof isMarkedSecret === 'boolean') return isMarkedSecret
  return SECRET_NAME.test(name)
}

/** The properties of an object, or of the objects in a list, by name. */
export function listNestedFields(property: InputProperty): Readonly<Record<string, InputProperty>> {
  const { properties, items } = property as Readonly<Record<string, unknown>>
  const nested = properties ?? (isJsonObject(items) ? items.properties : undefined)
  if (!isJsonObject(nested)) return {}
  const fields = Object.entries(nested).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  )
  return Object.fromEntries(fields.map(([name, value]) => [name, sanitizeProperty(value)]))
}

/** Keeps only keywords of the expected type, because spec validation covers top-level fields only. */
function sanitizeProperty(value: JsonObject): InputProperty {
  const entries = Object.entries(value).filter(([name, value]) => {
    const expectedType = EXPECTED_TYPES[name]
    return (
      expectedType === undefined ||
      (expectedType === 'object' ? isJsonObject(value) : typeof value === expectedType)
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
  'x-i18n': 'object',
}
