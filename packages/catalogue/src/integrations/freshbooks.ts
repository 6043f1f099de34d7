import { defineIntegration, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://www.freshbooks.com/api/authentication,
// https://www.freshbooks.com/api/me_endpoint, https://www.freshbooks.com/api/scopes and the
// provider's SDKs (token request, errors).
export default defineIntegration({
  key: 'freshbooks',
  name: 'FreshBooks',
  category: 'ACCOUNTING',
  version: '1.0.2',
  docs: 'https://www.freshbooks.com/api/me_endpoint',
  hosts: ['api.freshbooks.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://auth.freshbooks.com/oauth/authorize/',
      tokenUrl: 'https://api.freshbooks.com/auth/oauth/token',
      scopes: ['user:profile:read'],
      refresh: 'always',
    }),
  },
  check: { path: '/auth/api/v1/users/me' },
  identity: { id: 'response.id', label: ['response.email', 'response.first_name'] },
})
