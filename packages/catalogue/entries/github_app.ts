import { defineIntegration, jwtBearer, secret, text } from '@linchpin/kit'

// Looked up 2026-11-28: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
// (RS256, `iss` is the client ID, `iat` 60 seconds ago, `exp` at most 10 minutes from now),
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app
// and https://docs.github.com/en/rest/apps/installations
export default defineIntegration({
  key: 'github_app',
  name: 'GitHub App',
  icon: 'github',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.4',
  docs: 'https://docs.github.com/en/rest/apps/installations',
  hosts: ['api.github.com'],
  headers: { 'X-GitHub-Api-Version': '2022-11-28' },
  auth: {
    'GitHub App': jwtBearer({
      claims: { iss: '${client_id}' },
      fields: {
        client_id: text('Client ID', {
          help: 'In the settings of the GitHub App, under General. The app ID also works.',
          placeholder: 'Iv23liabcdefghijklmn',
          order: 1,
          i18n: {
            de: {
              label: 'Client-ID',
              help: 'In den Einstellungen der GitHub App unter „General“. Die App-ID geht auch.',
            },
          },
        }),
        installation_id: text('Installation ID', {
          help: 'The number at the end of the URL of the installation, under Settings, Applications, Configure.',
          placeholder: '12345678',
          pattern: '^[0-9]{1,20}$',
          order: 2,
          i18n: {
            de: {
              label: 'Installations-ID',
              help: 'Die Zahl am Ende der URL der Installation, unter „Settings“, „Applications“, „Configure“.',
            },
          },
        }),
        private_key: secret('Private key', {
          help: 'The whole .pem file that GitHub downloads under Private keys, Generate a private key.',
          order: 3,
          i18n: {
            de: {
              label: 'Privater Schlüssel',
              help: 'Die ganze .pem-Datei, die GitHub unter „Private keys“, „Generate a private key“ herunterlädt.',
            },
          },
        }),
      },
      exchange: {
        url: 'https://api.github.com/app/installations/${installation_id}/access_tokens',
        headers: { Authorization: 'Bearer ${jwt}', 'X-GitHub-Api-Version': '2022-11-28' },
      },
      token: 'token',
    }),
  },
  check: {
    path: '/installation/repositories?per_page=1',
    errors: [
      { status: 403, headers: { 'X-RateLimit-Remaining': '0' }, code: 'rate_limited' },
      {
        status: 403,
        match: { message: { startsWith: 'You have exceeded a secondary rate limit' } },
        code: 'rate_limited',
      },
      {
        status: 404,
        code: 'invalid_credentials',
        field: 'installation_id',
        hint: 'Compare the installation ID with the URL of the installation, and the client ID with the settings of the app.',
      },
    ],
  },
})
