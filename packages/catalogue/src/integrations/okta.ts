import { apiKey, defineIntegration, secret, select, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.okta.com/docs/guides/create-an-api-token/main/ and
// https://github.com/okta/okta-developer-docs (SSWS, users/me, E0000011 with 401),
// https://developer.okta.com/docs/guides/find-your-domain/main/ (domains); that of governments is from
// public clients of the API.
export default defineIntegration({
  key: 'okta',
  name: 'Okta',
  icon: 'okta',
  category: 'IDENTITY',
  version: '1.1.2',
  docs: 'https://developer.okta.com/docs/guides/create-an-api-token/main/',
  hosts: ['*.okta.com', '*.okta-emea.com', '*.oktapreview.com', '*.okta-gov.com'],
  apiBaseUrl: 'https://${subdomain}.${domain}/api/v1',
  inputs: {
    subdomain: text('Subdomain', {
      help: 'The first part of your address: acme in acme.okta.com.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
    domain: select('Domain', ['okta.com', 'okta-emea.com', 'oktapreview.com', 'okta-gov.com'], {
      help: 'The part after that.',
      default: 'okta.com',
    }),
  },
  auth: {
    Token: apiKey({
      name: 'Authorization',
      prefix: 'SSWS ',
      fields: {
        token: secret('API token', {
          help: 'In the admin console, under Security, API, Tokens.',
          helpUrl: 'https://developer.okta.com/docs/guides/create-an-api-token/main/',
        }),
      },
    }),
  },
  check: {
    path: '/users/me',
    errors: [{ match: { errorCode: 'E0000011' }, code: 'invalid_credentials' }],
  },
  identity: { id: 'id', label: ['profile.email', 'profile.login'] },
})
