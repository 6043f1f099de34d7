import { defineFixtures } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api-m.paypal.com/v1/identity/oauth2/userinfo?schema=paypalv1.1',
  sends: 'Authorization: Bearer ${token}',
  login: {
    endpoint: 'POST https://api-m.paypal.com/v1/oauth2/token',
    sends: 'Authorization: Basic ${client_id}:${client_secret}',
  },
  types: {
    'In The Body': { login: { endpoint: 'POST https://api-m.paypal.com/v1/oauth2/token' } },
  },
  good: { payer_id: 'P7', emails: [{ value: 'ann@shop.test' }] },
  identity: { id: 'P7', label: 'ann@shop.test' },
})
