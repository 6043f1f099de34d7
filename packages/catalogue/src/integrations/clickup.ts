import { apiKey, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.clickup.com/docs/authentication,
// https://developer.clickup.com/reference/getauthorizeduser
export default defineIntegration({
  key: 'clickup',
  name: 'ClickUp',
  icon: 'clickup',
  category: 'PROJECT_MANAGEMENT',
  version: '1.0.2',
  docs: 'https://developer.clickup.com/docs/authentication',
  hosts: ['api.clickup.com'],
  apiBaseUrl: 'https://api.clickup.com/api/v2',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://app.clickup.com/api',
      tokenUrl: 'https://api.clickup.com/api/v2/oauth/token',
    }),
    // Without Bearer, which is only for OAuth.
    Token: apiKey({
      name: 'Authorization',
      fields: {
        api_token: secret('Personal API token', {
          help: 'Create one in your ClickUp settings, under Apps.',
          helpUrl: 'https://app.clickup.com/settings/apps',
          placeholder: 'pk_…',
        }),
      },
    }),
  },
  check: { path: '/user' },
  identity: {
    id: 'user.id',
    label: ['user.email', 'user.username'],
    avatarUrl: 'user.profilePicture',
  },
})
