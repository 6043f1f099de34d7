import type { ParamNames } from '@linchpin/runner'

/** The parameters that a provider may call something else, by their names in RFC 6749. */
export const PARAM_NAMES = [
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'refresh_token',
] as const satisfies readonly (keyof ParamNames)[]

/** Of an OAuth type. */
interface Renaming {
  readonly paramNames: ParamNames
}

/** Why a name cannot stand for a parameter, without a period: it is that of another one. Undefined if all can. */
export function findParamNameError(names: ParamNames): string | undefined {
  const all = Object.values(names)
  const taken = all.find((name, at) => OTHER_NAMES.has(name) || all.indexOf(name) !== at)
  return taken && `${taken}, which is the name of another parameter`
}

/** Of RFC 6749, RFC 7009, RFC 7636, RFC 9101, RFC 9126 and RFC 9207. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  ...PARAM_NAMES,
  ...['access_token', 'assertion', 'code_challenge', 'code_challenge_method', 'code_verifier'],
  ...['error', 'error_description', 'error_uri', 'grant_type', 'iss', 'request', 'request_uri'],
  ...['response_mode', 'response_type', 'scope', 'state', 'token', 'token_type_hint'],
])

/** The parameters under the provider's names. */
export function renameParams(
  params: readonly (readonly [name: string, value: string])[],
  { paramNames }: Renaming,
): (readonly [name: string, value: string])[] {
  return params.map(([name, value]) => [paramNames[name as keyof ParamNames] ?? name, value])
}

/** Whether this is the provider's name of a parameter that Linchpin sets. */
export function isRenamedParam(name: string, { paramNames }: Renaming): boolean {
  return Object.values(paramNames).includes(name)
}
