import { defineIntegration, oauth2, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.docusign.com/esign/guide/authentication/oa2_auth_code.html
// (scope, client in the header),
// https://developers.docusign.com/platform/auth/reference/scopes (extended) and
// https://docs.docusign.com/esign/guide/authentication/auth_server.html (hosts, userinfo with each
// account's base_uri).
export default defineIntegration({
  key: 'docusign',
  name: 'Docusign',
  category: 'DOCUMENTATION',
  version: '1.0.2',
  docs: 'https://docs.docusign.com/esign/guide/authentication/oa2_auth_code.html',
  hosts: ['account.docusign.com', 'account-d.docusign.com', '*.docusign.net'],
  apiBaseUrl: 'https://${environment}.docusign.com',
  inputs: {
    environment: select(
      'Environment',
      { account: 'Production', 'account-d': 'Sandbox' },
      { default: 'account', help: 'Choose Sandbox only for a developer account.' },
    ),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://${environment}.docusign.com/oauth/auth',
      tokenUrl: 'https://${environment}.docusign.com/oauth/token',
      // Without extended, refresh tokens expire 30 days after the first sign-in, even if they are used.
      scopes: ['signature', 'extended'],
      clientAuthentication: 'header',
      refresh: 'always',
    }),
  },
  check: { path: '/oauth/userinfo' },
  identity: { id: 'sub', label: ['email', 'name'] },
})
