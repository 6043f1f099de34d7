import { basic, defineIntegration, secret, text } from '@linchpin/kit'

// The provider's API as documented: a subdomain per customer, and the API key as the user name.
export default defineIntegration({
  key: 'freshdesk_like',
  name: 'Desk',
  category: 'SUPPORT',
  version: '1.0.0',
  docs: 'https://developers.freshdesk.com/api/#authentication',
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
        api_key: secret('API key', { help: 'In your profile settings, below the picture.' }),
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
