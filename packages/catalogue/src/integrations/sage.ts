import { defineIntegration, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://developer.sage.com/accounting/guides/authenticating/authentication/. The response of /user
// is from public clients of the API; its reference page was not available.
export default defineIntegration({
  key: 'sage',
  name: 'Sage Accounting',
  icon: 'sage',
  category: 'ACCOUNTING',
  version: '1.0.2',
  docs: 'https://developer.sage.com/accounting/guides/authenticating/authentication/',
  hosts: ['api.accounting.sage.com', 'oauth.accounting.sage.com'],
  apiBaseUrl: 'https://api.accounting.sage.com/v3.1',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://www.sageone.com/oauth2/auth/central',
      tokenUrl: 'https://oauth.accounting.sage.com/token',
      revocationUrl: 'https://oauth.accounting.sage.com/revoke',
      scopes: ['readonly'],
      authorizationParams: { filter: 'apiv3.1' },
      refresh: 'always',
    }),
  },
  check: { path: '/user' },
  identity: { id: 'id', label: ['email', 'first_name'] },
})
