import type { OAuthType } from '../spec/auth-type.ts'

/** What a connection asks for: the scopes of the spec, then those of the app, each once. */
export function askedScopes(type: ScopesOfType, appScopes: readonly string[]): string[] {
  return eachOnce([...specScopes(type), ...appScopes])
}

/** The scopes of a spec: its default ones, then those that older specs put among the parameters, each once. */
export function specScopes(type: ScopesOfType): string[] {
  const written = type.authorizationParams
    .filter(([name]) => name === 'scope')
    .flatMap(([, value]) => value.split(type.scopeSeparator))
  return eachOnce([...type.defaultScopes, ...written])
}

type ScopesOfType = Pick<OAuthType, 'authorizationParams' | 'defaultScopes' | 'scopeSeparator'>

function eachOnce(scopes: readonly string[]): string[] {
  const trimmed = scopes.map((scope) => scope.trim())
  return [...new Set(trimmed)].filter((scope) => scope !== '')
}
