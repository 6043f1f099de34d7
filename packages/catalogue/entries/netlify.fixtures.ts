import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.netlify.com/api/v1/user',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: '5f0000000000000000000001', email: 'ann@acme.test', full_name: 'Ann' },
  bad: reply(401, { code: 401, message: 'Access Denied' }),
  insufficient: notApplicable('Tokens have no scopes: each may do what its owner may.'),
  identity: { id: '5f0000000000000000000001', label: 'ann@acme.test' },
})
