import type { OAuthType } from '../spec/parse-oauth-type.ts'

/** What a connection asks for: the scopes of the spec, then those of the app, each once. */
export function requestedScopes(type: ScopeSettings, appScopes: readonly string[]): string[] {
  return unique([...specScopes(type), ...appScopes])
}

/** The scopes of a spec: its default ones, then those that older specs put among the parameters, each once. */
export function specScopes(type: ScopeSettings): string[] {
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
