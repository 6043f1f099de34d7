import { clientCredentials, defineIntegration, oauth2, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.zoom.us/docs/integrations/oauth/,
// https://developers.zoom.us/docs/internal-apps/s2s-oauth/, https://developers.zoom.us/docs/api/users/
export default defineIntegration({
  key: 'zoom',
  name: 'Zoom',
  icon: 'zoom',
  category: 'MESSAGING',
  version: '1.0.2',
  docs: 'https://developers.zoom.us/docs/api/users/',
  hosts: ['api.zoom.us', 'zoom.us'],
  apiBaseUrl: 'https://api.zoom.us/v2',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://zoom.us/oauth/authorize',
      tokenUrl: 'https://zoom.us/oauth/token',
      revocationUrl: 'https://zoom.us/oauth/revoke',
      scopes: ['user:read:user'],
      clientAuthentication: 'header',
      refresh: 'always',
    }),
    'Server to Server': clientCredentials({
      tokenUrl: 'https://zoom.us/oauth/token',
      params: { grant_type: 'account_credentials', account_id: '${account_id}' },
      fields: {
        account_id: text('Account ID', {
          help: 'In your Server-to-Server app, above the client ID.',
          helpUrl: 'https://marketplace.zoom.us/user/build',
        }),
      },
    }),
  },
  check: {
    path: '/users/me',
    errors: [
      { match: { code: 124 }, code: 'invalid_credentials' },
      {
        match: { code: 4711 },
        code: 'insufficient_scope',
        hint: 'Add the scope to view a user to the app at Zoom, and connect again.',
      },
    ],
  },
  identity: { id: 'id', label: ['email', 'display_name'], avatarUrl: 'pic_url' },
})
