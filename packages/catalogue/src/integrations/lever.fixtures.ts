import { defineFixtures, reply } from '@linchpin/kit/testing'

const endpoint = 'GET https://api.lever.co/v1/users?limit=1'

export default defineFixtures({
  endpoint,
  sends: 'Authorization: Bearer ${secret}',
  good: { data: [{ id: '8d49b010-cc6a-4f40-ace5-e86061c677ed', name: 'Ann' }], hasNext: true },
  bad: reply(401, { code: 'Unauthorized', message: 'Unauthorized' }),
  insufficient: reply(403, { code: 'Forbidden', message: 'Forbidden' }),
  types: { 'Api Key': { endpoint, sends: 'Authorization: Basic ${secret}:' } },
})
