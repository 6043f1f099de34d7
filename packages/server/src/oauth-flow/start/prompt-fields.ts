import type { ConfigFields } from '../../accounts/credentials/config-fields.ts'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'

/** Fields of a configuration that sign-in or the OAuth app fills: nobody is asked for them. */
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

/** What a person is still asked for, of the fields of an auth type: what comes back with sign-in need not be given. */
export function promptFields(
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

/** A configuration without what sign-in fills. */
export function dropProviderFields(
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !PROVIDER_FIELDS.has(name)))
}
