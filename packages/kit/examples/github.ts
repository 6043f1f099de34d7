import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Verified 2026-11-21: https://docs.github.com/en/rest/users/users#get-the-authenticated-user
export default defineIntegration({
  key: 'github',
  name: 'GitHub',
  icon: 'github',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.0',
  docs: 'https://docs.github.com/en/rest/users/users#get-the-authenticated-user',
  hosts: ['api.github.com', 'github.com'],
  headers: { 'X-GitHub-Api-Version': '2022-11-28' },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      scopes: ['read:user'],
    }),
    Token: bearer({
      fields: {
        token: secret('Personal access token', {
          help: 'A classic or fine-grained token of your GitHub settings.',
          helpUrl: 'https://github.com/settings/tokens',
          placeholder: 'ghp_…',
        }),
      },
    }),
  },
  check: {
    path: '/user',
    errors: [
      {
        status: 403,
        match: { message: 'Resource not accessible by personal access token' },
        hint: 'Give the token read access to the user profile.',
      },
    ],
  },
  identity: { id: 'id', label: ['name', 'login'], avatarUrl: 'avatar_url' },
})
