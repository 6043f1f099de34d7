import { basic, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.freshdesk.com/api/#me as public clients of the API quote
// it, and
// https://community.freshworks.com/how-do-i-11341/permissions-required-for-accessing-api-v2-agents-api-43390
// (an error).
export default defineIntegration({
  key: 'freshdesk',
  name: 'Freshdesk',
  category: 'SUPPORT',
  version: '1.0.2',
  docs: 'https://developers.freshdesk.com/api/#me',
  hosts: ['*.freshdesk.com'],
  apiBaseUrl: 'https://${subdomain}.freshdesk.com/api/v2',
  inputs: {
    subdomain: text('Subdomain', {
      help: 'The first part of your address: acme in acme.freshdesk.com.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
  },
  auth: {
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'Click your picture, then Profile settings; the key is on the right.',
          helpUrl:
            'https://support.freshdesk.com/support/solutions/articles/215517-how-to-find-your-api-key',
        }),
      },
      password: 'X',
    }),
  },
  check: {
    path: '/agents/me',
    errors: [
      { match: { code: 'invalid_credentials' }, code: 'invalid_credentials', field: 'api_key' },
      { status: 404, hint: 'Check the address in your browser while you are signed in.' },
    ],
  },
  identity: { id: 'id', label: ['contact.email', 'contact.name'] },
})
