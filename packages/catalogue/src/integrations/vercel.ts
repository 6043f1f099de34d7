import { bearer, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://vercel.com/docs/rest-api/user/get-the-user. A wrong token is
// reported with 403 too, but with error.invalidToken. Its OAuth is for user profiles,
// not for the API: not supported.
export default defineIntegration({
  key: 'vercel',
  name: 'Vercel',
  icon: 'vercel',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://vercel.com/docs/rest-api/user/get-the-user',
  hosts: ['api.vercel.com'],
  auth: {
    Token: bearer({
      fields: {
        token: secret('Access token', {
          help: 'In your account settings, under Tokens.',
          helpUrl: 'https://vercel.com/account/tokens',
        }),
      },
    }),
  },
  check: {
    path: '/v2/user',
    errors: [{ status: 403, match: { 'error.invalidToken': true }, code: 'invalid_credentials' }],
  },
  identity: { id: 'user.id', label: ['user.email', 'user.username'] },
})
