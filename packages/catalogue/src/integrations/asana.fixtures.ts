import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://app.asana.com/api/1.0/users/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { data: { gid: '12345', name: 'Greg Sanchez', email: 'greg@acme.test', photo: null } },
  bad: reply(401, { errors: [{ message: 'Not Authorized' }] }),
  insufficient: reply(403, { errors: [{ message: 'Forbidden' }] }),
  identity: { id: '12345', label: 'greg@acme.test' },
})
