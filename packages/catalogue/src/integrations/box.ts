import { clientCredentials, defineIntegration, oauth2, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.box.com/reference/get-users-me,
// https://developer.box.com/guides/authentication/oauth2/, https://developer.box.com/reference/post-oauth2-revoke,
// https://developer.box.com/guides/authentication/client-credentials/
export default defineIntegration({
  key: 'box',
  name: 'Box',
  icon: 'box',
  category: 'STORAGE',
  version: '1.0.2',
  docs: 'https://developer.box.com/reference/get-users-me',
  hosts: ['api.box.com'],
  apiBaseUrl: 'https://api.box.com/2.0',
  auth: {
    // Scopes are configured in the registered application.
    OAuth2: oauth2({
      authorizationUrl: 'https://account.box.com/api/oauth2/authorize',
      tokenUrl: 'https://api.box.com/oauth2/token',
      revocationUrl: 'https://api.box.com/oauth2/revoke',
      refresh: 'always',
    }),
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://api.box.com/oauth2/token',
      clientAuthentication: 'body',
      params: { box_subject_type: 'enterprise', box_subject_id: '${enterprise_id}' },
      fields: {
        enterprise_id: text('Enterprise ID', {
          help: 'In the general settings of your application, beside the client ID.',
          helpUrl: 'https://app.box.com/developers/console',
          placeholder: '20299075',
        }),
      },
    }),
  },
  check: { path: '/users/me' },
  identity: { id: 'id', label: ['login', 'name'] },
})
