import { oauth2 } from '@linchpin/kit'

/** Where Atlassian lists the sites that somebody shared at sign-in. */
export const ATLASSIAN_SITES = 'https://api.atlassian.com/oauth/token/accessible-resources'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
/** Sign-in with Atlassian, for one product's scopes. Further scopes: who signed in, and refresh tokens. */
export function atlassianSignIn(...scopes: readonly string[]) {
  return oauth2({
    apiBaseUrl: 'https://api.atlassian.com',
    authorizationUrl: 'https://auth.atlassian.com/authorize',
    tokenUrl: 'https://auth.atlassian.com/oauth/token',
    scopes: [...scopes, 'read:me', 'offline_access'],
    authorizationParams: { audience: 'api.atlassian.com', prompt: 'consent' },
    bodyFormat: 'json',
    identity: { path: '/me', id: 'account_id', label: ['email', 'name'], avatarUrl: 'picture' },
  })
}

/** A site that was shared, as far as it matters here. */
export interface AtlassianSite {
  readonly id: string
  readonly scopes: readonly string[]
}
