import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.calendly.com/api-docs/calendly-api/users/get-user (scope
// users:read) and
// https://developer.calendly.com/api-docs/calendly-o-auth/o-auth/post-oauth-refresh-token (client
// in the header) and, as public clients quote it, the page of the endpoint that revokes.
export default defineIntegration({
  key: 'calendly',
  name: 'Calendly',
  icon: 'calendly',
  category: 'CALENDAR',
  version: '1.1.2',
  docs: 'https://developer.calendly.com/api-docs/calendly-api/users/get-user',
  hosts: ['api.calendly.com', 'auth.calendly.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://auth.calendly.com/oauth/authorize',
      tokenUrl: 'https://auth.calendly.com/oauth/token',
      revocationUrl: 'https://auth.calendly.com/oauth/revoke',
      scopes: ['users:read'],
      clientAuthentication: 'header',
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Personal access token', {
          help: 'In Calendly, under Integrations, API and webhooks. Allow it to read users.',
          helpUrl: 'https://calendly.com/integrations/api_webhooks',
        }),
      },
    }),
  },
  check: {
    path: '/users/me',
    errors: [{ status: 403, hint: 'Give the token the scope users:read.' }],
  },
  identity: {
    id: 'resource.uri',
    label: ['resource.email', 'resource.name'],
    avatarUrl: 'resource.avatar_url',
  },
})
