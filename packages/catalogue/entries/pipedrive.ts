import { apiKey, defineIntegration, oauth2, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://pipedrive.readme.io/docs/marketplace-oauth-authorization,
// https://pipedrive.readme.io/docs/core-api-concepts-authentication,
// https://developers.pipedrive.com/docs/api/v1/Oauth and
// https://pipedrive.readme.io/docs/marketplace-getting-user-data
export default defineIntegration({
  key: 'pipedrive',
  name: 'Pipedrive',
  category: 'CRM',
  version: '1.0.8',
  docs: 'https://pipedrive.readme.io/docs/marketplace-getting-user-data',
  hosts: ['*.pipedrive.com'],
  apiBaseUrl: '${api_domain}/api',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://oauth.pipedrive.com/oauth/authorize',
      tokenUrl: 'https://oauth.pipedrive.com/oauth/token',
      revocationUrl: 'https://oauth.pipedrive.com/oauth/revoke',
      // Permissions are configured in the registered application.
      scopes: [],
      clientAuthentication: 'header',
      // Pipedrive does not document PKCE, and other clients do not use it.
      pkce: false,
      refresh: 'always',
      tokenResponseParams: ['api_domain'],
    }),
    'Api Key': apiKey({
      name: 'x-api-token',
      apiBaseUrl: 'https://${company}.pipedrive.com/api',
      fields: {
        company: text('Company domain', {
          help: 'The first part of your address: acme in acme.pipedrive.com.',
          placeholder: 'acme',
          pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
        }),
        api_token: secret('API token', {
          help: 'Under Company settings, Personal preferences, API.',
          helpUrl: 'https://app.pipedrive.com/settings/api',
        }),
      },
    }),
  },
  check: { path: '/v1/users/me', ok: { path: 'success', equals: true } },
  async identity(context) {
    const { data } = (await (await context.fetch('/v1/users/me')).json()) as {
      data: { id: number; company_id: number; email: string; icon_url: string | null }
    }
    // A user has the same ID in every company.
    const id = `${data.company_id}:${data.id}`
    return { id, label: data.email, ...(data.icon_url && { avatarUrl: data.icon_url }) }
  },
})
