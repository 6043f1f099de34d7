import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Returns 200 for everything; `ok` indicates success.
export default defineIntegration({
  key: 'slack_like',
  name: 'Talk',
  category: 'MESSAGING',
  version: '1.0.0',
  docs: 'https://docs.slack.dev/reference/methods/auth.test',
  hosts: ['slack.com'],
  apiBaseUrl: 'https://slack.com/api',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://slack.com/oauth/v2/authorize',
      tokenUrl: 'https://slack.com/api/oauth.v2.access',
      scopes: ['users:read', 'team:read'],
      scopeSeparator: ',',
      authorizationParams: { user_scope: 'identify' },
      revocationUrl: 'https://slack.com/api/auth.revoke',
    }),
    'Bot Token': bearer({
      fields: { bot_token: secret('Bot token', { help: 'Begins with xoxb-.' }) },
    }),
  },
  check: {
    method: 'POST',
    path: '/auth.test',
    ok: { path: 'ok', equals: true },
    errors: [
      { match: { error: ['invalid_auth', 'token_revoked'] }, code: 'invalid_credentials' },
      { match: { error: 'missing_scope' }, code: 'insufficient_scope', hint: 'Add users:read.' },
      { match: { error: 'account_inactive' }, code: 'account_inactive' },
    ],
  },
  identity: { id: 'user_id', label: 'user' },
})
