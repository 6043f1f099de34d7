import { apiKey, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://linear.app/developers/graphql, https://linear.app/developers/oauth-2-0-authentication
export default defineIntegration({
  key: 'linear',
  name: 'Linear',
  icon: 'linear',
  category: 'TICKETING',
  version: '1.0.2',
  docs: 'https://linear.app/developers/graphql',
  hosts: ['api.linear.app'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://linear.app/oauth/authorize',
      tokenUrl: 'https://api.linear.app/oauth/token',
      revocationUrl: 'https://api.linear.app/oauth/revoke',
      scopes: ['read'],
      scopeSeparator: ',',
      refresh: 'always',
    }),
    // Without Bearer, which is only for OAuth.
    'Api Key': apiKey({
      name: 'Authorization',
      fields: {
        api_key: secret('API key', {
          help: 'Create one in your Linear settings, under Security & access.',
          helpUrl: 'https://linear.app/settings/account/security',
          placeholder: 'lin_api_…',
        }),
      },
    }),
  },
  check: {
    path: '/graphql',
    body: { query: '{ viewer { id name email avatarUrl } }' },
    ok: 'data.viewer.id',
    errors: [
      {
        match: { 'errors.0.extensions.type': 'authentication error' },
        code: 'invalid_credentials',
      },
      {
        match: { 'errors.0.extensions.type': ['forbidden', 'feature not accessible'] },
        code: 'insufficient_scope',
        hint: 'Give the key read access.',
      },
      { match: { 'errors.0.extensions.code': 'RATELIMITED' }, code: 'rate_limited' },
    ],
  },
  identity: {
    id: 'data.viewer.id',
    label: ['data.viewer.email', 'data.viewer.name'],
    avatarUrl: 'data.viewer.avatarUrl',
  },
})
