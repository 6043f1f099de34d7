import { bearer, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.netlify.com/api/get-started (tokens) and
// https://github.com/netlify/open-api (user). Its authorization code flow is not
// documented: not supported.
export default defineIntegration({
  key: 'netlify',
  name: 'Netlify',
  icon: 'netlify',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://docs.netlify.com/api/get-started',
  hosts: ['api.netlify.com'],
  apiBaseUrl: 'https://api.netlify.com/api/v1',
  auth: {
    Token: bearer({
      fields: {
        token: secret('Personal access token', {
          help: 'In your user settings, under Applications.',
          helpUrl: 'https://app.netlify.com/user/applications#personal-access-tokens',
        }),
      },
    }),
  },
  check: { path: '/user' },
  identity: { id: 'id', label: ['email', 'full_name'] },
})
