import type { AuthMethod } from '../auth/auth-method.ts'
import type { Definition } from '../definition.ts'
import { getLaterNames } from '../run/get-auth-method.ts'
import { type Fields, isSecretField } from '../spec/field.ts'
import {
  findRevocationProblem,
  listRevocationNames,
  MAX_REVOCATION_REQUESTS,
} from '../spec/revocation-rules.ts'

/** Lints the requests of `revocation`: what could not be sent, would revoke nothing, or would reveal a secret. */
export function lintRevocation(
  definition: Definition,
  authType: string,
  { spec, fields }: AuthMethod,
): string[] {
  const requests = spec['x-revocation'] ?? []
  const all: Fields = { ...definition.inputs, ...fields }
  const secrets = Object.keys(all).filter((name) => isSecretField(all[name]))
  const known = new Set([
    ...Object.keys(all),
    ...getLaterNames(definition, authType),
    ...['token', 'token_type_hint', 'client_secret'],
  ])
  const errors = requests.flatMap((request, at) => {
    const name = requests.length === 1 ? 'revocation' : `revocation.${at}`
    const problem = findRevocationProblem(request, secrets)
    const unknown = [...listRevocationNames(request)].filter((each) => !known.has(each))
    return [
      ...(problem === undefined ? [] : [`${name} ${problem}.`]),
      ...unknown.map((each) => `${name} contains \${${each}}, which has no value.`),
    ]
  })
  return [
    ...errors,
    ...(requests.length > MAX_REVOCATION_REQUESTS
      ? [`revocation has more than ${MAX_REVOCATION_REQUESTS} requests.`]
      : []),
    ...(requests.length > 0 && spec.revocation_url !== undefined
      ? ['revocation and revocationUrl exclude each other.']
      : []),
  ]
}
