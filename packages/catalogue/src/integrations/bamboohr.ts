import { basic, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://documentation.bamboohr.com/docs/getting-started (subdomain, key as
// the user name, x as the password) and
// https://documentation.bamboohr.com/reference/metadata-get-a-list-of-fields.
export default defineIntegration({
  key: 'bamboohr',
  name: 'BambooHR',
  category: 'HRIS',
  version: '1.0.2',
  docs: 'https://documentation.bamboohr.com/docs/getting-started',
  hosts: ['*.bamboohr.com'],
  apiBaseUrl: 'https://${subdomain}.bamboohr.com/api/v1',
  headers: { Accept: 'application/json' },
  inputs: {
    subdomain: text('Subdomain', {
      help: 'The first part of your address: acme in acme.bamboohr.com.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
  },
  auth: {
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'Click your name in the upper right corner, then API keys.',
          helpUrl: 'https://documentation.bamboohr.com/docs/getting-started',
        }),
      },
      password: 'x',
    }),
  },
  check: {
    path: '/meta/fields',
    errors: [{ status: 403, hint: 'Use the key of a user who can view employee fields.' }],
  },
})
