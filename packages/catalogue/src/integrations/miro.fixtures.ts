import { defineFixtures, never, reply } from '@linchpin/kit/testing'

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
  insufficient: never('Every token may read what it stands for.'),
  identity: { id: '3074457349999999999', label: 'Ann' },
})
