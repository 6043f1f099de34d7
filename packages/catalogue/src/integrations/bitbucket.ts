import { basic, defineIntegration, email, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/bitbucket/oauth-2/,
// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/,
// https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/
export default defineIntegration({
  key: 'bitbucket',
  name: 'Bitbucket',
  icon: 'bitbucket',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/',
  hosts: ['api.bitbucket.org', 'bitbucket.org'],
  apiBaseUrl: 'https://api.bitbucket.org/2.0',
  auth: {
    // Scopes are configured in the registered application; the check needs account.
    OAuth2: oauth2({
      authorizationUrl: 'https://bitbucket.org/site/oauth2/authorize',
      tokenUrl: 'https://bitbucket.org/site/oauth2/access_token',
      clientAuthentication: 'header',
      refresh: 'always',
    }),
    'API Token': basic({
      fields: {
        email: email('E-mail', { help: 'The one of your Atlassian account.' }),
        api_token: secret('API token', {
          help: 'Create one with scopes for Bitbucket, among them read:user:bitbucket.',
          helpUrl: 'https://id.atlassian.com/manage-profile/security/api-tokens',
        }),
      },
    }),
  },
  check: {
    path: '/user',
    errors: [{ status: 403, hint: 'Grant the read:user:bitbucket scope.' }],
  },
  identity: { id: 'uuid', label: ['display_name', 'nickname'], avatarUrl: 'links.avatar.href' },
})
