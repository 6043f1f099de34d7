import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://slack.com/api/auth.test',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    ok: true,
    url: 'https://subarachnoid.slack.com/',
    team: 'Subarachnoid Workspace',
    user: 'grace',
    team_id: 'T12345678',
    user_id: 'W12345678',
  },
  bad: reply(200, { ok: false, error: 'invalid_auth' }),
  insufficient: reply(200, { ok: false, error: 'missing_scope' }),
  signIn: {
    authorize: 'https://slack.com/oauth/v2/authorize?scope=users:read',
    token: 'https://slack.com/api/oauth.v2.access',
    // Only apps that are registered as public clients may use it; they have no client secret.
    pkce: 'refused',
    good: {
      ok: true,
      access_token: '${access_token}',
      refresh_token: '${refresh_token}',
      token_type: 'bot',
      expires_in: 43_200,
      scope: '${scope}',
      team: { id: 'T12345678', name: 'Subarachnoid Workspace' },
    },
  },
  identity: { id: 'T12345678/W12345678', label: 'grace (Subarachnoid Workspace)' },
})
