import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://www.zohoapis.com/crm/v8/users?type=CurrentUser',
  sends: 'Authorization: Zoho-oauthtoken ${secret}',
  config: { api_domain: 'https://www.zohoapis.com' },
  good: {
    users: [{ id: '4876876000000327001', full_name: 'Ann Acme', email: 'ann@acme.test' }],
    info: { count: 1 },
  },
  bad: reply(401, {
    code: 'INVALID_TOKEN',
    details: {},
    message: 'invalid oauth token',
    status: 'error',
  }),
  insufficient: reply(401, {
    code: 'OAUTH_SCOPE_MISMATCH',
    details: {},
    message: 'invalid oauth scope to access this URL',
    status: 'error',
  }),
  identity: { id: '4876876000000327001', label: 'ann@acme.test' },
})
