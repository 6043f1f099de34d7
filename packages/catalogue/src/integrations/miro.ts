import { defineIntegration, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.miro.com/docs/getting-started-with-oauth (addresses;
// scopes are set in the app) and
// https://developers.miro.com/reference/use-access-token-for-rest-api-requests.
export default defineIntegration({
  key: 'miro',
  name: 'Miro',
  icon: 'miro',
  category: 'PROJECT_MANAGEMENT',
  version: '1.0.2',
  docs: 'https://developers.miro.com/docs/getting-started-with-oauth',
  hosts: ['api.miro.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://miro.com/oauth/authorize',
      tokenUrl: 'https://api.miro.com/v1/oauth/token',
    }),
  },
  check: { path: '/v1/oauth-token', ok: 'user.id' },
  identity: { id: 'user.id', label: 'user.name' },
})
