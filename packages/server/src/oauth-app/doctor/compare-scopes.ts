import { askedScopes, specScopes } from '../../oauth/authorize/asked-scopes.ts'
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
  const isSame = missing.length === 0 && extra.length === 0
  return {
    scopes: { spec, app: [...app], missing, extra },
    check: {
      name: 'scopes',
      status: isSame ? 'ok' : 'warning',
      message: isSame
        ? 'Connections ask for what the integration needs.'
        : `Connections ask for the scopes of the integration and of the app together: ${askedScopes(type, app).join(', ')}. The provider must allow them all, else it refuses every connection.`,
    },
  }
}
