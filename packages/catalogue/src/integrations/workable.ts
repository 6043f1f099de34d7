import { bearer, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://workable.readme.io (token, subdomain, address of the jobs) and
// https://workable.readme.io/reference/partner-token. Its OAuth is for partners, with accounts
// chosen afterwards: not supported.
export default defineIntegration({
  key: 'workable',
  name: 'Workable',
  category: 'ATS',
  version: '1.0.2',
  docs: 'https://workable.readme.io',
  hosts: ['*.workable.com'],
  apiBaseUrl: 'https://${subdomain}.workable.com/spi/v3',
  inputs: {
    subdomain: text('Subdomain', {
      help: 'In the company profile: acme in acme.workable.com.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
  },
  auth: {
    Token: bearer({
      fields: {
        token: secret('Access token', {
          help: 'In the settings, under Integrations, Access tokens. Allow it to read jobs.',
          helpUrl: 'https://help.workable.com/hc/en-us/articles/115015785428',
        }),
      },
    }),
  },
  check: {
    path: '/jobs',
    query: { limit: '1' },
    errors: [
      { status: [301, 302, 404], hint: 'Check the subdomain first, then the token.' },
      { status: 403, hint: 'Give the token the scope r_jobs.' },
    ],
  },
})
