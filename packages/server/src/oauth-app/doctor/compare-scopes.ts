import type { OAuthType } from '../../oauth/spec/auth-type.ts'
import type { OAuthAppCheck, OAuthAppReport } from './oauth-app-report.ts'

/**
 * Holds the app's scopes against the spec's. Connections ask for both together, so a difference is never fatal: it is
 * what to look at when the provider refuses. An app that names no scopes misses none.
 */
export function compareScopes(
  type: OAuthType,
  app: readonly string[],
): { readonly scopes: OAuthAppReport['scopes']; readonly check: OAuthAppCheck } {
  const spec = specScopes(type)
  const missing = app.length === 0 ? [] : spec.filter((scope) => !app.includes(scope))
  const extra = app.filter((scope) => !spec.includes(scope))
  return {
    scopes: { spec, app: [...app], missing, extra },
    check: { name: 'scopes', ...verdict(missing, extra) },
  }
}

/** Default scopes, and those that older specs put among the parameters, each once. */
export function specScopes(type: OAuthType): string[] {
  const written = type.authorizationParams
    .filter(([name]) => name === 'scope')
    .flatMap(([, value]) => value.split(type.scopeSeparator))
  const all = [...type.defaultScopes, ...written].map((scope) => scope.trim())
  return [...new Set(all)].filter((scope) => scope !== '')
}

function verdict(
  missing: readonly string[],
  extra: readonly string[],
): Pick<OAuthAppCheck, 'status' | 'message'> {
  if (missing.length === 0 && extra.length === 0)
    return { status: 'ok', message: 'Connections ask for what the integration needs.' }
  const parts = [
    ...(missing.length === 0
      ? []
      : [
          'The app leaves out scopes that the integration needs; connections ask for them all the same, so they must be allowed at the provider.',
        ]),
    ...(extra.length === 0
      ? []
      : [
          'The app names scopes that the integration does not need; they must be allowed at the provider, else it refuses every connection.',
        ]),
  ]
  return { status: 'warning', message: parts.join(' ') }
}
