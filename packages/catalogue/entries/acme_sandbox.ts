import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Linchpin answers this host itself: see docs/catalogue.md, Acme Sandbox. Looked up 2026-11-23.
export default defineIntegration({
  key: 'acme_sandbox',
  name: 'Acme Sandbox',
  category: 'TICKETING',
  version: '1.0.6',
  docs: 'https://sandbox.linchpin.invalid/',
  hosts: ['sandbox.linchpin.invalid'],
  apiBaseUrl: 'https://sandbox.linchpin.invalid/api',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://sandbox.linchpin.invalid/authorize',
      tokenUrl: 'https://sandbox.linchpin.invalid/token',
      revocationUrl: 'https://sandbox.linchpin.invalid/revoke',
      scopes: ['tickets'],
      refresh: 'always',
    }),
    'Api Key': bearer({
      fields: {
        api_key: secret('API key', {
          help: 'Use good, bad, slow or flaky.',
          placeholder: 'good',
        }),
      },
    }),
  },
  check: { path: '/me' },
  identity: { id: 'id', label: ['email', 'name'] },
})
