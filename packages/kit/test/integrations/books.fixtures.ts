import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET ${base_url}/api/account',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 'org_north', name: 'Acme Books', subdomain: 'north' },
  bad: reply(401, { error: 'invalid_token' }),
  identity: { id: 'org_north', label: 'Acme Books' },
})
