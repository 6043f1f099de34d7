import { bearer, defineIntegration, oauth2, secret, url } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.gitlab.com/api/users/#get-the-current-user, https://docs.gitlab.com/api/oauth2/
export default defineIntegration({
  key: 'gitlab',
  name: 'GitLab',
  icon: 'gitlab',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://docs.gitlab.com/api/users/#get-the-current-user',
  hosts: 'any',
  apiBaseUrl: 'https://gitlab.com/api/v4',
  auth: {
    // Only gitlab.com: the client secret must not be sent to a host from user input.
    OAuth2: oauth2({
      authorizationUrl: 'https://gitlab.com/oauth/authorize',
      tokenUrl: 'https://gitlab.com/oauth/token',
      revocationUrl: 'https://gitlab.com/oauth/revoke',
      scopes: ['read_user'],
      refresh: 'always',
    }),
    Token: bearer({
      apiBaseUrl: '${base_url}/api/v4',
      fields: {
        base_url: url('Address', {
          help: 'The URL of your GitLab server, if you host it yourself.',
          placeholder: 'https://gitlab.com',
          default: 'https://gitlab.com',
        }),
        api_token: secret('Access token', {
          help: 'Create one in your GitLab preferences, and select read_user.',
          helpUrl: 'https://gitlab.com/-/user_settings/personal_access_tokens',
          placeholder: 'glpat-…',
        }),
      },
    }),
  },
  check: {
    path: '/user',
    errors: [
      { status: 403, match: { error: 'insufficient_scope' }, hint: 'Give the token read_user.' },
      { status: 404, hint: 'Check the address in your browser while you are in GitLab.' },
    ],
  },
  identity: { id: 'id', label: ['username', 'name'], avatarUrl: 'avatar_url' },
})
