import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.sendgrid.com/v3/scopes',
  sends: 'Authorization: Bearer ${secret}',
  good: { scopes: ['mail.send'] },
  bad: reply(401, { errors: [{ field: null, message: 'authorization required' }] }),
  insufficient: notApplicable('Every key may read its own permissions.'),
})
