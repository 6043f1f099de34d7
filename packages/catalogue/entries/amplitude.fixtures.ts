import { defineFixtures, notApplicable } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://amplitude.com/api/2/events/list',
  sends: 'Authorization: Basic ${api_key}:${secret_key}',
  good: { data: [{ name: 'Signed up', totals: 0 }] },
  insufficient: notApplicable('The two keys may read everything in their project.'),
})
