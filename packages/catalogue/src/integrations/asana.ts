import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.asana.com/reference/getuser, https://developers.asana.com/docs/oauth,
// https://developers.asana.com/docs/oauth-scopes
export default defineIntegration({
  key: 'asana',
  name: 'Asana',
  icon: 'asana',
  category: 'PROJECT_MANAGEMENT',
  version: '1.0.2',
  docs: 'https://developers.asana.com/reference/getuser',
  hosts: ['app.asana.com'],
  apiBaseUrl: 'https://app.asana.com/api/1.0',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://app.asana.com/-/oauth_authorize',
      tokenUrl: 'https://app.asana.com/-/oauth_token',
      revocationUrl: 'https://app.asana.com/-/oauth_revoke',
      scopes: ['users:read'],
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        api_token: secret('Personal access token', {
          help: 'Create one in the developer console of Asana.',
          helpUrl: 'https://app.asana.com/0/my-apps',
        }),
      },
    }),
  },
  check: { path: '/users/me' },
  identity: {
    id: 'data.gid',
    label: ['data.email', 'data.name'],
    avatarUrl: 'data.photo.image_128x128',
  },
})
