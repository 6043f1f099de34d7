import type { OAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
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
