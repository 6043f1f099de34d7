import { basic, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://hire.lever.co/developer/documentation (key as the user name, OAuth
// addresses, audience, scopes).
export default defineIntegration({
  key: 'lever',
  name: 'Lever',
  category: 'ATS',
  version: '1.0.2',
  docs: 'https://hire.lever.co/developer/documentation#authentication',
  hosts: ['api.lever.co', 'auth.lever.co'],
  apiBaseUrl: 'https://api.lever.co/v1',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://auth.lever.co/authorize',
      tokenUrl: 'https://auth.lever.co/oauth/token',
      scopes: ['users:read:admin', 'offline_access'],
      authorizationParams: { audience: 'https://api.lever.co/v1/', prompt: 'consent' },
    }),
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'In the settings, under Integrations and API. Allow it to list users.',
          helpUrl: 'https://hire.lever.co/settings/integrations',
        }),
      },
    }),
  },
  check: {
    path: '/users',
    query: { limit: '1' },
    errors: [{ status: 403, hint: 'Give the key access to the endpoint that lists users.' }],
  },
})
