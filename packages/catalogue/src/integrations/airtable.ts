import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://airtable.com/developers/web/api/get-user-id-scopes (no scope
// needed; e-mail with user.email:read) and https://airtable.com/developers/web/api/oauth-reference
// (PKCE required, one scope at least, client in the header).
export default defineIntegration({
  key: 'airtable',
  name: 'Airtable',
  icon: 'airtable',
  category: 'PROJECT_MANAGEMENT',
  version: '1.0.2',
  docs: 'https://airtable.com/developers/web/api/get-user-id-scopes',
  hosts: ['api.airtable.com', 'airtable.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://airtable.com/oauth2/v1/authorize',
      tokenUrl: 'https://airtable.com/oauth2/v1/token',
      scopes: ['user.email:read'],
      clientAuthentication: 'header',
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Personal access token', {
          help: 'In the builder hub, under Personal access tokens.',
          helpUrl: 'https://airtable.com/create/tokens',
          placeholder: 'patExample.0123456789',
        }),
      },
    }),
  },
  check: { path: '/v0/meta/whoami' },
  identity: { id: 'id', label: ['email', 'id'] },
})
