import type { Trial } from '../trial.ts'
import type { SignIn } from './read-sign-in.ts'

/** What a person gives, and what sign-in brings: of the fixtures' `config` all that is no field, beside the code or with the tokens. */
export function sortedConfig({ spec, authType, config, answers }: Trial, signIn: SignIn) {
  const fields = {
    ...spec.other_inputs?.input_specification?.properties,
    ...spec.auth_specification[authType]?.input_specification?.properties,
  }
  const isAsked = (name: string) =>
    Object.hasOwn(fields, name) && !FILLED.has(name) && !signIn.callbackParams.includes(name)
  const brought = Object.entries(answers.config ?? {}).filter(([name]) => !isAsked(name))
  const { callbackParams } = signIn
  return {
    given: Object.fromEntries(Object.entries(config).filter(([name]) => isAsked(name))),
    facts: Object.fromEntries(brought.filter(([name]) => !callbackParams.includes(name))),
    callback: pick(Object.fromEntries(brought), callbackParams),
  }
}

/** Linchpin asks nobody for these. */
const FILLED = new Set([
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
