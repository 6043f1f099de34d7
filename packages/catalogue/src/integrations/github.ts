import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.github.com/en/rest/users/users#get-the-authenticated-user,
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps,
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
export default defineIntegration({
  key: 'github',
  name: 'GitHub',
  icon: 'github',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.3',
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
          help: 'Create one in your GitHub settings, under Developer settings.',
          helpUrl: 'https://github.com/settings/tokens',
          placeholder: 'ghp_…',
        }),
      },
    }),
  },
  check: {
    path: '/user',
    errors: [
      // Rate limits are reported with 403 too.
      { status: 403, headers: { 'X-RateLimit-Remaining': '0' }, code: 'rate_limited' },
      {
        status: 403,
        match: { message: { startsWith: 'You have exceeded a secondary rate limit' } },
        code: 'rate_limited',
      },
      { status: 403, hint: 'Give the token read access to your profile.' },
    ],
  },
  identity: { id: 'id', label: ['name', 'login'], avatarUrl: 'avatar_url' },
})
