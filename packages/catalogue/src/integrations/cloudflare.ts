import { bearer, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.cloudflare.com/api/resources/user/subresources/tokens/methods/verify/
// (status active, code 1000 for a wrong token) and https://developers.cloudflare.com/fundamentals/api/get-started/create-token/.
// Only tokens of a user: those of an account have an endpoint with the account's ID in it.
export default defineIntegration({
  key: 'cloudflare',
  name: 'Cloudflare',
  icon: 'cloudflare',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.0',
  docs: 'https://developers.cloudflare.com/api/resources/user/subresources/tokens/methods/verify/',
  hosts: ['api.cloudflare.com'],
  apiBaseUrl: 'https://api.cloudflare.com/client/v4',
  auth: {
    Token: bearer({
      fields: {
        token: secret('API token', {
          help: 'In your profile, under API tokens.',
          helpUrl: 'https://dash.cloudflare.com/profile/api-tokens',
        }),
      },
    }),
  },
  check: {
    path: '/user/tokens/verify',
    ok: { path: 'result.status', equals: 'active' },
    errors: [{ match: { 'errors.0.code': [1000, 6003] }, code: 'invalid_credentials' }],
  },
})
