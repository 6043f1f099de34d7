import { type DeclaredFact, oauth2 } from '@linchpin/kit'

/** The endpoint that lists the sites that the user granted access to. */
export const ATLASSIAN_SITES = 'https://api.atlassian.com/oauth/token/accessible-resources'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
/** OAuth with Atlassian for the scopes of one product, plus scopes for the user's identity and refresh tokens. */
export function atlassianSignIn(product: 'jira' | 'confluence', ...scopes: readonly string[]) {
  return oauth2({
    after: [createSiteFact(product)],
    apiBaseUrl: 'https://api.atlassian.com',
    authorizationUrl: 'https://auth.atlassian.com/authorize',
    tokenUrl: 'https://auth.atlassian.com/oauth/token',
    scopes: [...scopes, 'read:me', 'offline_access'],
    // Of the identity.
    requiredScopes: ['read:me'],
    authorizationParams: { audience: 'api.atlassian.com', prompt: 'consent' },
    bodyFormat: 'json',
    identity: { path: '/me', id: 'account_id', label: ['email', 'name'], avatarUrl: 'picture' },
  })
}

/** The site at which the API of a product is called: `/ex/jira/${cloud_id}/…`. */
function createSiteFact(product: string): DeclaredFact {
  return {
    name: 'cloud_id',
    title: 'Site',
    path: ATLASSIAN_SITES,
    list: '',
    value: 'id',
    label: ['name', 'url'],
    where: { scopes: { contains: product } },
    hint: 'Sign in again and choose a site.',
    i18n: {
      de: {
        title: 'Standort',
        hint: 'Melden Sie sich noch einmal an und wählen Sie einen Standort.',
      },
    },
  }
}

/** The used fields of an accessible site. */
export interface AtlassianSite {
  readonly id: string
  readonly scopes: readonly string[]
}
