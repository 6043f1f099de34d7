import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.miro.com/v1/oauth-token',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    type: 'oAuthToken',
    user: { type: 'user', id: '3074457349999999999', name: 'Ann' },
    team: { type: 'team', id: '3074457358607431473', name: 'Acme' },
    scopes: ['boards:read'],
  },
  bad: reply(401),
  insufficient: notApplicable('Every token may read what it stands for.'),
  signIn: {
    authorize: 'https://miro.com/oauth/authorize?response_type=code',
    token: 'https://api.miro.com/v1/oauth/token',
    bodyFormat: 'form',
    clientAuthentication: 'body',
    good: {
      token_type: 'bearer',
      access_token: '${access_token}',
      refresh_token: '${refresh_token}',
      expires_in: 3599,
      scope: 'boards:read',
      team_id: '3074457358607431473',
      user_id: '3074457349999999999',
    },
  },
  identity: { id: '3074457349999999999', label: 'Ann' },
})
