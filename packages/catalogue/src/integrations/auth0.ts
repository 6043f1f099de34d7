import { clientCredentials, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://auth0.com/docs/api/v2/tokens (audience) and
// https://auth0.com/docs/api/management/v2/create-m2m-app (applications and their permissions; 403
// insufficient_scope).
export default defineIntegration({
  key: 'auth0',
  name: 'Auth0',
  icon: 'auth0',
  category: 'IDENTITY',
  version: '1.0.2',
  docs: 'https://auth0.com/docs/api/management/v2/create-m2m-app',
  hosts: ['*.auth0.com'],
  apiBaseUrl: 'https://${tenant}.auth0.com/api/v2',
  inputs: {
    tenant: text('Tenant', {
      help: 'The part before auth0.com in your domain: acme.us in acme.us.auth0.com.',
      placeholder: 'acme.us',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}([.][a-z0-9-]{2,20})?$',
    }),
  },
  auth: {
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://${tenant}.auth0.com/oauth/token',
      params: { audience: 'https://${tenant}.auth0.com/api/v2/' },
      clientAuthentication: 'body',
      fields: {
        client_id: text('Client ID', {
          help: 'In the settings of a machine-to-machine application that may read clients.',
          helpUrl: 'https://auth0.com/docs/api/management/v2/create-m2m-app',
        }),
        client_secret: secret('Client secret', { help: 'Shown below the client ID.' }),
      },
    }),
  },
  check: {
    path: '/clients',
    query: { per_page: '1', fields: 'client_id' },
    errors: [
      {
        status: 403,
        hint: 'Authorize the application for the management API, with the permission read:clients.',
      },
    ],
  },
})
