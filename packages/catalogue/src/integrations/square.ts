import { bearer, defineIntegration, oauth2, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.squareup.com/reference/square/o-auth/obtain-token,
// https://developer.squareup.com/reference/square/o-auth/authorize,
// https://developer.squareup.com/docs/oauth-api/best-practices (session) and
// https://developer.squareup.com/reference/square/enums/ErrorCode. The response of merchants/me is
// from public clients of the API.
export default defineIntegration({
  key: 'square',
  name: 'Square',
  icon: 'square',
  category: 'PAYMENTS',
  version: '1.0.2',
  docs: 'https://developer.squareup.com/reference/square/o-auth/obtain-token',
  hosts: ['connect.squareup.com', 'connect.squareupsandbox.com'],
  apiBaseUrl: 'https://connect.${environment}.com',
  headers: { 'Square-Version': '2026-01-22' },
  inputs: {
    environment: select(
      'Environment',
      { squareup: 'Production', squareupsandbox: 'Sandbox' },
      { help: 'Choose Sandbox only for test accounts.', default: 'squareup' },
    ),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://connect.${environment}.com/oauth2/authorize',
      tokenUrl: 'https://connect.${environment}.com/oauth2/token',
      scopes: ['MERCHANT_PROFILE_READ'],
      // Forces users to choose an account instead of using an open session. Ignored in the sandbox.
      authorizationParams: { session: 'false' },
      bodyFormat: 'json',
      // Two mutually exclusive flows: with a client secret, or with PKCE instead.
      pkce: false,
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Access token', {
          help: 'In the Developer Console: your app, Credentials.',
          helpUrl: 'https://developer.squareup.com/apps',
        }),
      },
    }),
  },
  check: {
    path: '/v2/merchants/me',
    errors: [
      { match: { 'errors.0.code': 'INSUFFICIENT_SCOPES' }, code: 'insufficient_scope' },
      {
        match: { 'errors.0.code': ['ACCESS_TOKEN_EXPIRED', 'ACCESS_TOKEN_REVOKED'] },
        code: 'invalid_credentials',
      },
    ],
  },
  identity: { id: 'merchant.id', label: ['merchant.business_name', 'merchant.id'] },
})
