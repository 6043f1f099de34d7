import { clientCredentials, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://harvestdocs.greenhouse.io/docs/authentication (token address,
// client in the header, sub) and https://harvestdocs.greenhouse.io/reference/get_v3-users. That sub may
// be left out, for the credentials' own service account, is from
// https://nango.dev/docs/api-integrations/greenhouse-harvest-oauth2-cc/connect. Harvest v1 and v2, and
// their keys, ended on 31 August 2026.
export default defineIntegration({
  key: 'greenhouse',
  name: 'Greenhouse',
  icon: 'greenhouse',
  category: 'ATS',
  version: '1.1.2',
  docs: 'https://harvestdocs.greenhouse.io/docs/authentication',
  hosts: ['harvest.greenhouse.io', 'auth.greenhouse.io'],
  auth: {
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://auth.greenhouse.io/token',
      params: { sub: '${user_id}' },
      fields: {
        client_id: text('Client ID', {
          help: 'Create Harvest V3 credentials in the Dev Center. Allow them to list users.',
          helpUrl: 'https://harvestdocs.greenhouse.io/docs/authentication',
        }),
        client_secret: secret('Client secret', { help: 'Shown beside the client ID.' }),
        user_id: text('User ID', {
          help: 'The number in the address of a site admin’s page, under Users. Without it: the service account of these credentials.',
          placeholder: '12345',
          optional: true,
          pattern: '^[0-9]+$',
        }),
      },
    }),
  },
  check: {
    path: '/v3/users',
    query: { per_page: '1' },
    errors: [
      {
        status: 403,
        hint: 'The client needs the scope to list users, and the user must be a site admin.',
      },
    ],
  },
})
