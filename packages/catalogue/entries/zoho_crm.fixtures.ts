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
  signIn: {
    authorize:
      'https://accounts.zoho.com/oauth/v2/auth?response_type=code&scope=ZohoCRM.users.READ&access_type=offline&prompt=consent',
    token: 'https://accounts.zoho.com/oauth/v2/token',
    revocation: 'https://accounts.zoho.com/oauth/v2/token/revoke',
    offline: { access_type: 'offline' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
    refreshed: {
      access_token: '${access_token}',
      api_domain: 'https://www.zohoapis.com',
      token_type: 'Bearer',
      expires_in: 3600,
    },
  },
  identity: { id: '4876876000000327001', label: 'ann@acme.test' },
})
