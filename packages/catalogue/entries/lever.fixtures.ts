import { defineFixtures, reply } from '@linchpin/kit/testing'

const endpoint = 'GET https://api.lever.co/v1/users?limit=1'

export default defineFixtures({
  endpoint,
  sends: 'Authorization: Bearer ${secret}',
  good: { data: [{ id: '8d49b010-cc6a-4f40-ace5-e86061c677ed', name: 'Ann' }], hasNext: true },
  bad: reply(401, { code: 'Unauthorized', message: 'Unauthorized' }),
  insufficient: reply(403, { code: 'Forbidden', message: 'Forbidden' }),
  signIn: {
    authorize:
      'https://auth.lever.co/authorize?response_type=code&audience=https://api.lever.co/v1/&scope=users:read:admin%20offline_access&prompt=consent',
    token: 'https://auth.lever.co/oauth/token',
    offline: { scope: 'offline_access' },
    clientAuthentication: 'body',
  },
  types: { 'Api Key': { endpoint, sends: 'Authorization: Basic ${secret}:' } },
})
