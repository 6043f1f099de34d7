import { apiKey, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://postmarkapp.com/developer/api/server-api (header, fields) and
// https://postmarkapp.com/developer/api/overview (401 for a wrong token).
export default defineIntegration({
  key: 'postmark',
  name: 'Postmark',
  category: 'MAIL',
  version: '1.0.2',
  docs: 'https://postmarkapp.com/developer/api/server-api',
  hosts: ['api.postmarkapp.com'],
  headers: { Accept: 'application/json' },
  auth: {
    'Api Key': apiKey({
      name: 'X-Postmark-Server-Token',
      fields: {
        server_token: secret('Server API token', {
          help: 'On the tab API Tokens of your server.',
          helpUrl: 'https://account.postmarkapp.com/servers',
        }),
      },
    }),
  },
  check: { path: '/server' },
  identity: { id: 'ID', label: 'Name' },
})
