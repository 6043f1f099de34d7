import type { OAuthType } from '../spec/parse-oauth-type.ts'

/** The scopes of an authorization request: the spec's scopes, then the app's, without duplicates. */
export function getRequestedScopes(type: ScopeSettings, appScopes: readonly string[]): string[] {
  return unique([...getSpecScopes(type), ...appScopes])
}

/** The scopes of a spec: `default_scopes`, then those that older specs put in `authorization_params`, deduplicated. */
export function getSpecScopes(type: ScopeSettings): string[] {
  const scopesInParams = type.authorizationParams
    .filter(([name]) => name === 'scope')
    .flatMap(([, value]) => value.split(type.scopeSeparator))
  return unique([...type.defaultScopes, ...scopesInParams])
}

type ScopeSettings = Pick<OAuthType, 'authorizationParams' | 'defaultScopes' | 'scopeSeparator'>

function unique(scopes: readonly string[]): string[] {
  const trimmed = scopes.map((scope) => scope.trim())
  return [...new Set(trimmed)].filter((scope) => scope !== '')
}
