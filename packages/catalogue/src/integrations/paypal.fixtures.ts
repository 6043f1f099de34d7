import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api-m.paypal.com/v1/notifications/webhooks',
  sends: 'Authorization: Bearer ${token}',
  login: {
    endpoint: 'POST https://api-m.paypal.com/v1/oauth2/token',
    sends: 'Authorization: Basic ${client_id}:${client_secret}',
    bad: reply(401, {
      error: 'invalid_client',
      error_description: 'Client Authentication failed',
    }),
  },
  good: { webhooks: [] },
  bad: reply(401, {
    error: 'invalid_token',
    error_description: 'Token signature verification failed',
  }),
  insufficient: reply(403, {
    name: 'NOT_AUTHORIZED',
    message: 'Authorization failed due to insufficient permissions.',
  }),
  limited: reply(429, { name: 'RATE_LIMIT_REACHED', message: 'Too many requests.' }),
})
