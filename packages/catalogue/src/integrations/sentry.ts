import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.sentry.io/api/auth/ (tokens, sign-in) and
// https://sentry.io/.well-known/oauth-authorization-server (addresses, scopes, S256).
export default defineIntegration({
  key: 'sentry',
  name: 'Sentry',
  icon: 'sentry',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://docs.sentry.io/api/auth/',
  hosts: ['sentry.io', 'us.sentry.io', 'de.sentry.io'],
  apiBaseUrl: 'https://sentry.io/api/0',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://sentry.io/oauth/authorize/',
      tokenUrl: 'https://sentry.io/oauth/token/',
      scopes: ['org:read'],
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Personal token', {
          help: 'In your user settings, under Personal tokens. Allow it to read organizations.',
          helpUrl: 'https://sentry.io/settings/account/api/auth-tokens/',
          placeholder: 'sntryu_example',
        }),
      },
    }),
  },
  check: {
    path: '/organizations/',
    errors: [{ status: 403, hint: 'Give the token the scope org:read.' }],
  },
})
