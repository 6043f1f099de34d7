import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.workable.com/spi/v3/jobs?limit=1',
  sends: 'Authorization: Bearer ${secret}',
  good: { jobs: [{ id: '61884e2', title: 'Engineer', state: 'published' }] },
  bad: reply(401, { error: 'Not authorized' }),
})
