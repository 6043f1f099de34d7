import { requestedScopes, specScopes } from '../../oauth/authorize/requested-scopes.ts'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import type { OAuthAppCheck, OAuthAppReport } from './oauth-app-report.ts'

/**
 * Holds the app's scopes against the spec's. Connections ask for both together, so a difference is never fatal: it is
 * what to look at when the provider refuses. An app that names no scopes misses none.
 */
export function compareScopes(
  type: OAuthType,
  appScopes: readonly string[],
): { readonly scopes: OAuthAppReport['scopes']; readonly check: OAuthAppCheck } {
  const spec = specScopes(type)
  const missing = appScopes.length === 0 ? [] : spec.filter((scope) => !appScopes.includes(scope))
  const extra = appScopes.filter((scope) => !spec.includes(scope))
  const isEqual = missing.length === 0 && extra.length === 0
  return {
    scopes: { spec, app: [...appScopes], missing, extra },
    check: {
      name: 'scopes',
      status: isEqual ? 'ok' : 'warning',
      message: isEqual
        ? 'Connections ask for what the integration needs.'
        : `Connections ask for the scopes of the integration and of the app together: ${requestedScopes(type, appScopes).join(', ')}. The provider must allow them all, else it refuses every connection.`,
    },
  }
}
