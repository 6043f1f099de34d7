import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.cloudflare.com/client/v4/user/tokens/verify',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    success: true,
    errors: [],
    result: { id: 'ed17574386854bf78a67040be0a770b0', status: 'active' },
  },
  bad: reply(400, {
    success: false,
    errors: [{ code: 6003, message: 'Invalid request headers' }],
    result: null,
  }),
  insufficient: notApplicable('Every token may have itself verified.'),
})
