import { defineIntegration, oauth2, url } from '@linchpin/kit'

// Acme Books in examples/provider: sign-in, rotating refresh tokens, revocation.
export default defineIntegration({
  key: 'books',
  name: 'Acme Books',
  category: 'ACCOUNTING',
  version: '1.0.0',
  docs: 'https://acme.example/docs/books',
  hosts: 'any',
  apiBaseUrl: '${base_url}/api',
  inputs: { base_url: url('Address', { placeholder: 'https://books.acme.example' }) },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: '${base_url}/oauth/authorize',
      tokenUrl: '${base_url}/oauth/token',
      revocationUrl: '${base_url}/oauth/revoke',
      scopes: ['books.read', 'offline_access'],
      clientAuthentication: 'header',
    }),
  },
  check: { path: '/account' },
  identity: { id: 'id', label: ['name', 'subdomain'] },
})
