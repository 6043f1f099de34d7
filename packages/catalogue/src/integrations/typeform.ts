import { bearer, defineIntegration, oauth2, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://www.typeform.com/developers/get-started/applications/ (addresses)
// https://www.typeform.com/developers/get-started/scopes/ (accounts:read for /me, offline for
// refresh tokens), https://www.typeform.com/developers/get-started/responses-data-center (where
// responses are stored) and https://www.typeform.com/developers/get-started/mcp/ (the second host in
// Europe). Europe has a separate OAuth service with its own applications, which is not supported.
const REGIONS = {
  'api.typeform.com': 'Standard',
  'api.eu.typeform.com': 'EU Responses Data Center',
}
const help = 'Where your responses are hosted. Enterprise plans can choose Europe.'

export default defineIntegration({
  key: 'typeform',
  name: 'Typeform',
  icon: 'typeform',
  category: 'MARKETING',
  version: '1.1.2',
  docs: 'https://www.typeform.com/developers/get-started/scopes/',
  hosts: ['api.typeform.com', 'api.eu.typeform.com', 'api.typeform.eu'],
  apiBaseUrl: 'https://${region}',
  auth: {
    OAuth2: oauth2({
      fields: { region: select('Region', REGIONS, { help, default: 'api.typeform.com' }) },
      authorizationUrl: 'https://api.typeform.com/oauth/authorize',
      tokenUrl: 'https://api.typeform.com/oauth/token',
      scopes: ['accounts:read', 'offline'],
    }),
    Token: bearer({
      fields: {
        region: select(
          'Region',
          { ...REGIONS, 'api.typeform.eu': 'Europe (typeform.eu)' },
          { help, default: 'api.typeform.com' },
        ),
        token: secret('Personal token', {
          help: 'In your settings, under Personal tokens. Allow it to read accounts.',
          helpUrl: 'https://admin.typeform.com/user/tokens',
          placeholder: 'tfp_example',
        }),
      },
    }),
  },
  check: {
    path: '/me',
    errors: [{ status: 403, hint: 'Allow the token to read accounts.' }],
  },
  identity: { id: ['user_id', 'email'], label: ['alias', 'email'] },
})
