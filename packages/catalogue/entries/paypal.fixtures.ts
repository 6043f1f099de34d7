import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api-m.paypal.com/v1/notifications/webhooks',
  sends: 'Authorization: Bearer ${token}',
  login: {
    endpoint: 'POST https://api-m.paypal.com/v1/oauth2/token',
    sends: 'Authorization: Basic ${client_id}:${client_secret}',
    bad: reply(401, { error: 'invalid_client' }),
  },
  good: { webhooks: [] },
  insufficient: reply(403, {
    name: 'NOT_AUTHORIZED',
    message: 'Authorization failed due to insufficient permissions.',
  }),
})
