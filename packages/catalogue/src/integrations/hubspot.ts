import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide,
// https://hubspot.mintlify-auth-docs.com/docs/api-reference/account-account-info-v3/guide and
// https://developers.hubspot.com/docs/faq/api-error-responses
export default defineIntegration({
  key: 'hubspot',
  name: 'HubSpot',
  icon: 'hubspot',
  category: 'CRM',
  version: '1.0.0',
  docs: 'https://developers.hubspot.com/docs/api-reference/account-account-info-v3/guide',
  hosts: ['api.hubapi.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
      tokenUrl: 'https://api.hubapi.com/oauth/v3/token',
      scopes: ['oauth'],
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Access token', {
          help: 'In the settings of your HubSpot account, under Integrations, Private apps.',
          helpUrl: 'https://developers.hubspot.com/docs/apps/legacy-apps/private-apps/overview',
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
