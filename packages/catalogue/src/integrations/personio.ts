import { clientCredentials, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.personio.de/reference/post_v2-auth-token (id and secret
// in the form) and https://developer.personio.de/reference/get_v2-persons; a missing scope is
// answered with 403 and commonforbidden.
export default defineIntegration({
  key: 'personio',
  name: 'Personio',
  icon: 'personio',
  category: 'HRIS',
  version: '1.0.2',
  docs: 'https://developer.personio.de/reference/get_v2-persons',
  hosts: ['api.personio.de'],
  apiBaseUrl: 'https://api.personio.de/v2',
  auth: {
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://api.personio.de/v2/auth/token',
      clientAuthentication: 'body',
      fields: {
        client_id: text('Client ID', {
          help: 'In the settings, under API credentials. Allow it to read persons.',
          helpUrl: 'https://developer.personio.de/reference/introduction',
        }),
        client_secret: secret('Client secret', { help: 'Shown once, beside the client ID.' }),
      },
    }),
  },
  check: {
    path: '/persons',
    query: { limit: '1' },
    errors: [
      { status: 400, code: 'invalid_credentials' },
      { status: 403, hint: 'Allow the API credential to read persons.' },
    ],
  },
})
