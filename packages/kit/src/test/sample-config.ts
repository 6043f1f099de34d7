import type { AuthSpecification, InputProperty, Spec } from '@linchpin/runner/protocol'

/** A generated configuration that the fields of an auth type accept, as far as possible. */
export function sampleConfig(
  spec: Spec,
  authType: string,
  overrides: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const auth = spec.auth_specification[authType]
  const fields = {
    ...spec.other_inputs?.input_specification?.properties,
    ...auth?.input_specification?.properties,
  }
  const samples = Object.entries(fields).map(([name, field]) => [name, sample(name, field)])
  const tokens = hasSignIn(auth) ? TOKENS : {}
  return { ...Object.fromEntries(samples), ...tokens, ...overrides, authType }
}

/** The name of the field with the credential: the value of `${secret}` in fixtures. */
export function secretName(spec: Spec, authType: string): string | undefined {
  const auth = spec.auth_specification[authType]
  if (hasSignIn(auth)) return 'access_token'
  const fields = Object.entries(auth?.input_specification?.properties ?? {})
  return (fields.find(([, { format }]) => format === 'password') ?? fields[0])?.[0]
}

function hasSignIn(auth: AuthSpecification | undefined): boolean {
  return Boolean(auth?.authorization_url && auth.token_url) || auth?.discovery === 'mcp'
}

/** The values that Linchpin adds after sign-in. */
const TOKENS = {
  access_token: 'test-access.token_1~',
  refresh_token: 'test-refresh.token_1~',
  token_type: 'bearer',
  scope: 'test',
  client_id: 'test-client',
  client_secret: 'test-client.secret_1~',
}

/** Secrets contain characters that encodings change. */
function sample(name: string, field: InputProperty): unknown {
  const { format, type, enum: values, pattern } = field
  const placeholder = field['x-placeholder']
  if (field.default !== undefined) return field.default
  if (values) return values[0]
  if (type === 'number' || type === 'integer') return 7
  if (format === 'uri')
    return placeholder && URL.canParse(placeholder) ? placeholder : 'https://server.test'
  if (format === 'email') return 'person@example.com'
  if (format === 'password' && pattern === undefined) return `te+s/t=%&-${name}`
  if (pattern === undefined) return placeholder ?? `test-${name}`
  return placeholder !== undefined && new RegExp(pattern, 'u').test(placeholder)
    ? placeholder
    : undefined
}
