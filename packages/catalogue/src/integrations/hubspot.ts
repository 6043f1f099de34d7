import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://developers.hubspot.com/docs/api-reference/2026-03/authentication/oauth-tokens/refresh-oauth-token,
// https://developers.hubspot.com/docs/api-reference/latest/authentication/oauth-tokens/revoke-token,
// https://developers.hubspot.com/changelog/legacy-private-app-creation-sunset (service keys instead),
// https://hubspot.mintlify-auth-docs.com/docs/api-reference/account-account-info-v3/guide and
// https://developers.hubspot.com/docs/faq/api-error-responses
export default defineIntegration({
  key: 'hubspot',
  name: 'HubSpot',
  icon: 'hubspot',
  category: 'CRM',
  version: '1.1.2',
  docs: 'https://developers.hubspot.com/docs/api-reference/account-account-info-v3/guide',
  hosts: ['api.hubapi.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
      tokenUrl: 'https://api.hubapi.com/oauth/2026-03/token',
      revocationUrl: 'https://api.hubapi.com/oauth/2026-03/token/revoke',
      scopes: ['oauth'],
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Service key', {
          help: 'In the settings of your HubSpot account, under Integrations, Service keys. The token of an existing private app also works.',
          helpUrl:
            'https://developers.hubspot.com/blog/hubspot-service-keys-the-right-api-credential-for-data-integrations',
          placeholder: 'pat-…',
        }),
      },
    }),
  },
  check: {
    path: '/account-info/v3/details',
    errors: [
      {
        match: { category: ['INVALID_AUTHENTICATION', 'EXPIRED_AUTHENTICATION'] },
        code: 'invalid_credentials',
      },
      { match: { category: 'MISSING_SCOPES' }, code: 'insufficient_scope' },
    ],
  },
  identity: { id: 'portalId', label: 'portalId' },
})
