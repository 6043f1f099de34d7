import { oauth2 } from '@linchpin/kit'

/** The endpoint that lists the sites that the user granted access to. */
export const ATLASSIAN_SITES = 'https://api.atlassian.com/oauth/token/accessible-resources'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
/** OAuth with Atlassian for the scopes of one product, plus scopes for the user's identity and refresh tokens. */
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

/** The used fields of an accessible site. */
export interface AtlassianSite {
  readonly id: string
  readonly scopes: readonly string[]
}
