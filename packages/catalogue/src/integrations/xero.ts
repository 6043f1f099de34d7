import { defineIntegration, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.xero.com/documentation/oauth2/pkce-flow,
// https://github.com/osodevops/xero-cli/releases/tag/v0.5.0 (PKCE beside a client secret) and the
// provider's OpenAPI (xero-identity.yaml, /Connections)
export default defineIntegration({
  key: 'xero',
  name: 'Xero',
  icon: 'xero',
  category: 'ACCOUNTING',
  version: '1.0.2',
  docs: 'https://developer.xero.com/documentation/oauth2/pkce-flow',
  hosts: ['api.xero.com', 'identity.xero.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://login.xero.com/identity/connect/authorize',
      tokenUrl: 'https://identity.xero.com/connect/token',
      revocationUrl: 'https://identity.xero.com/connect/revocation',
      // A scope determines which kind of organisation the user can choose.
      scopes: ['offline_access', 'accounting.settings.read'],
      clientAuthentication: 'header',
    }),
  },
  check: {
    path: '/connections',
    errors: [
      {
        status: 200,
        match: { length: 0 },
        code: 'insufficient_scope',
        hint: 'No organisation was shared. Sign in again and choose one.',
      },
    ],
  },
  identity: { id: '0.tenantId', label: '0.tenantName' },
})
