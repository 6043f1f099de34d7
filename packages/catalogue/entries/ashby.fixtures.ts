import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://api.ashbyhq.com/apiKey.info',
  sends: 'Authorization: Basic ${secret}:',
  good: { success: true, results: { title: 'Linchpin', createdAt: '2026-01-01T00:00:00.000Z' } },
  bad: reply(403),
  insufficient: reply(403, { success: false, errors: ['missing_endpoint_permission'] }),
})
