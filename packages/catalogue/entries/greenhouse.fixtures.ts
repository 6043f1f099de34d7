import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://harvest.greenhouse.io/v3/users?per_page=1',
  sends: 'Authorization: Bearer ${token}',
  login: {
    endpoint: 'POST https://auth.greenhouse.io/token',
    sends: 'Authorization: Basic ${client_id}:${client_secret}',
    bad: reply(401, { error: 'invalid_client' }),
  },
  good: [{ id: 12345, primary_email: 'ann@acme.test', site_admin: true }],
})
