import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.stripe.com/v1/account',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    id: 'acct_1032D82eZvKYlo2C',
    object: 'account',
    business_profile: { name: null },
    email: 'ann@acme.test',
    settings: { dashboard: { display_name: 'Acme' } },
  },
  bad: reply(401, {
    error: { message: 'Invalid API Key provided: sk_test_***', type: 'invalid_request_error' },
  }),
  insufficient: reply(403, {
    error: {
      message: "The provided key 'rk_***' does not have the required permissions for this endpoint",
      type: 'invalid_request_error',
    },
  }),
  identity: { id: 'acct_1032D82eZvKYlo2C', label: 'Acme' },
})
