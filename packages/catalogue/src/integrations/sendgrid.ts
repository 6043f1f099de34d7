import { bearer, defineIntegration, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://www.twilio.com/docs/sendgrid/api-reference/api-key-permissions/retrieve-a-list-of-scopes-for-which-this-user-has-access
export default defineIntegration({
  key: 'sendgrid',
  name: 'SendGrid',
  category: 'MAIL',
  version: '1.0.2',
  docs: 'https://www.twilio.com/docs/sendgrid/api-reference/api-key-permissions/retrieve-a-list-of-scopes-for-which-this-user-has-access',
  hosts: ['api.sendgrid.com', 'api.eu.sendgrid.com'],
  apiBaseUrl: 'https://${region}.sendgrid.com',
  inputs: {
    region: select(
      'Region',
      { api: 'Global', 'api.eu': 'Europe' },
      {
        help: 'Choose Europe only for a subuser that is hosted there.',
        default: 'api',
      },
    ),
  },
  auth: {
    'Api Key': bearer({
      fields: {
        api_key: secret('API key', {
          help: 'Under Settings, API keys. It is shown once.',
          helpUrl: 'https://app.sendgrid.com/settings/api_keys',
          placeholder: 'SG.…',
        }),
      },
    }),
  },
  check: { path: '/v3/scopes' },
})
