import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.slack.dev/reference/methods/auth.test,
// https://docs.slack.dev/authentication/installing-with-oauth,
// https://docs.slack.dev/authentication/using-pkce
export default defineIntegration({
  key: 'slack',
  name: 'Slack',
  category: 'MESSAGING',
  version: '1.0.2',
  docs: 'https://docs.slack.dev/reference/methods/auth.test',
  hosts: ['slack.com'],
  apiBaseUrl: 'https://slack.com/api',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://slack.com/oauth/v2/authorize',
      tokenUrl: 'https://slack.com/api/oauth.v2.access',
      // The check needs no scope, but Slack rejects authorization requests without one.
      scopes: ['users:read'],
      scopeSeparator: ',',
      // Only for apps that are registered permanently as public clients; Slack rejects it together with a secret.
      pkce: false,
    }),
    'Bot Token': bearer({
      fields: {
        bot_token: secret('Bot token', {
          help: 'Open your app at Slack, then OAuth & Permissions. It begins with xoxb-.',
          helpUrl: 'https://api.slack.com/apps',
          placeholder: 'xoxb-…',
        }),
      },
    }),
  },
  check: {
    method: 'POST',
    path: '/auth.test',
    ok: { path: 'ok', equals: true },
    errors: [
      {
        match: { error: ['invalid_auth', 'not_authed', 'token_expired', 'token_revoked'] },
        code: 'invalid_credentials',
      },
      { match: { error: ['missing_scope', 'no_permission'] }, code: 'insufficient_scope' },
      { match: { error: 'account_inactive' }, code: 'account_inactive' },
      { match: { error: 'ratelimited' }, code: 'rate_limited' },
      { match: { error: ['internal_error', 'fatal_error'] }, code: 'provider_unreachable' },
    ],
  },
  // User IDs are unique only within a workspace.
  identity: {
    method: 'POST',
    path: '/auth.test',
    id: '${team_id}/${user_id}',
    label: '${user} (${team})',
  },
})
