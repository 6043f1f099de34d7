import { apiKey, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.monday.com/api-reference/docs/authentication,
// https://developer.monday.com/api-reference/docs/errors, https://developer.monday.com/apps/docs/oauth
export default defineIntegration({
  key: 'monday',
  name: 'monday.com',
  category: 'PROJECT_MANAGEMENT',
  version: '1.0.2',
  docs: 'https://developer.monday.com/api-reference/docs/authentication',
  hosts: ['api.monday.com', 'auth.monday.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://auth.monday.com/oauth2/authorize',
      tokenUrl: 'https://auth.monday.com/oauth2/token',
      scopes: ['me:read'],
      prefix: '',
    }),
    Token: apiKey({
      name: 'Authorization',
      fields: {
        api_token: secret('API token', {
          help: 'Open the developer center from your picture, then My access tokens.',
          helpUrl: 'https://developer.monday.com/api-reference/docs/authentication',
        }),
      },
    }),
  },
  check: {
    path: '/v2',
    body: { query: '{ me { id name email photo_thumb } }' },
    ok: 'data.me.id',
    errors: [
      {
        match: { 'errors.0.extensions.code': 'UserUnauthorizedException' },
        code: 'insufficient_scope',
        hint: 'Ask your admin for permission to read your own profile.',
      },
      {
        match: {
          'errors.0.extensions.code': ['COMPLEXITY_BUDGET_EXHAUSTED', 'DAILY_LIMIT_EXCEEDED'],
        },
        code: 'rate_limited',
      },
    ],
  },
  identity: {
    id: 'data.me.id',
    label: ['data.me.email', 'data.me.name'],
    avatarUrl: 'data.me.photo_thumb',
  },
})
