import { basic, defineIntegration, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/ (api as the user
// name) and https://documentation.mailgun.com/docs/mailgun/api-reference (regions; 401 wrong key,
// 403 no right).
export default defineIntegration({
  key: 'mailgun',
  name: 'Mailgun',
  icon: 'mailgun',
  category: 'MAIL',
  version: '1.0.2',
  docs: 'https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/',
  hosts: ['api.mailgun.net', 'api.eu.mailgun.net'],
  apiBaseUrl: 'https://${region}.mailgun.net',
  inputs: {
    region: select(
      'Region',
      { api: 'United States', 'api.eu': 'Europe' },
      { default: 'api', help: 'Where your domain is hosted.' },
    ),
  },
  auth: {
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'In the account settings. A domain sending key does not work.',
          helpUrl: 'https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/',
        }),
      },
      username: 'api',
      password: '${api_key}',
    }),
  },
  check: {
    path: '/v4/domains',
    query: { limit: '1' },
    errors: [{ status: 403, hint: 'Use an account key that can list domains.' }],
  },
})
