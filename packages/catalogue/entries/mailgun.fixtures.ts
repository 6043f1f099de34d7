import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.mailgun.net/v4/domains?limit=1',
  sends: 'Authorization: Basic api:${secret}',
  good: { total_count: 1, items: [{ name: 'mg.acme.test', state: 'active' }] },
  bad: reply(401, { message: 'Invalid private key' }),
})
