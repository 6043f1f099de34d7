import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.postmarkapp.com/server',
  sends: ['X-Postmark-Server-Token: ${secret}', 'Accept: application/json'],
  good: { ID: 1, Name: 'Production', DeliveryType: 'Live' },
  bad: reply(401, { ErrorCode: 10, Message: 'Missing or incorrect API token in header.' }),
  insufficient: notApplicable('Every server token may read its server.'),
  identity: { id: '1', label: 'Production' },
})
