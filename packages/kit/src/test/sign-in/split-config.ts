import type { TestRun } from '../test-run.ts'
import type { SignIn } from './read-sign-in.ts'

/**
 * Splits the fixtures' `config` into user input and values from sign-in: everything that is not a field, from the
 * redirect or the token response.
 */
export function splitConfig({ spec, authType, config, fixture }: TestRun, signIn: SignIn) {
  const fields = {
    ...spec.other_inputs?.input_specification?.properties,
    ...spec.auth_specification[authType]?.input_specification?.properties,
  }
  const isUserField = (name: string) =>
    Object.hasOwn(fields, name) &&
    !PROVIDER_FIELDS.has(name) &&
    !signIn.callbackParams.includes(name)
  const providerEntries = Object.entries(fixture.config ?? {}).filter(
    ([name]) => !isUserField(name),
  )
  const { callbackParams } = signIn
  return {
    userValues: Object.fromEntries(Object.entries(config).filter(([name]) => isUserField(name))),
    responseParams: Object.fromEntries(
      providerEntries.filter(([name]) => !callbackParams.includes(name)),
    ),
    callback: pick(Object.fromEntries(providerEntries), callbackParams),
  }
}

/** Linchpin sets these itself. */
const PROVIDER_FIELDS = new Set([
  'access_token',
  'api_key',
  'client_id',
  'client_secret',
  'refresh_token',
  'scope',
  'scopes',
  'token',
  'token_type',
])

export function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const entries = names.filter((name) => Object.hasOwn(values, name))
  return Object.fromEntries(entries.map((name) => [name, String(values[name])]))
}
