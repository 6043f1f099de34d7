import { bearer, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.cloudflare.com/fundamentals/api/troubleshooting/ (status
// active) and
// https://developers.cloudflare.com/api/node/resources/user/subresources/tokens/methods/verify
// (disabled, expired). A malformed token gets 400 with code 6003, an unknown one
// with 1000. User tokens only: account tokens have an endpoint with the account ID in
// it.
export default defineIntegration({
  key: 'cloudflare',
  name: 'Cloudflare',
  icon: 'cloudflare',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://developers.cloudflare.com/fundamentals/api/troubleshooting/',
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
