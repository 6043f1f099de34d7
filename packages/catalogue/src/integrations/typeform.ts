import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://www.typeform.com/developers/get-started/applications/ (addresses)
// and https://www.typeform.com/developers/get-started/scopes/ (accounts:read for /me, offline for
// refresh tokens).
export default defineIntegration({
  key: 'typeform',
  name: 'Typeform',
  icon: 'typeform',
  category: 'MARKETING',
  version: '1.0.0',
  docs: 'https://www.typeform.com/developers/get-started/scopes/',
  hosts: ['api.typeform.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://api.typeform.com/oauth/authorize',
      tokenUrl: 'https://api.typeform.com/oauth/token',
      scopes: ['accounts:read', 'offline'],
    }),
    Token: bearer({
      fields: {
        token: secret('Personal token', {
          help: 'In your settings, under Personal tokens. Let it read accounts.',
          helpUrl: 'https://admin.typeform.com/user/tokens',
          placeholder: 'tfp_example',
        }),
      },
    }),
  },
  check: {
    path: '/me',
    errors: [{ status: 403, hint: 'Let the token read accounts.' }],
  },
  identity: { id: ['user_id', 'email'], label: ['alias', 'email'] },
})
