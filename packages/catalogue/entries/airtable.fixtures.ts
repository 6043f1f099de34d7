import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.airtable.com/v0/meta/whoami',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 'usrL2PNC5o3H4lBEi', email: 'foo@bar.test' },
  bad: reply(401, {
    error: { type: 'UNAUTHORIZED', message: 'Invalid authentication token' },
  }),
  insufficient: notApplicable('The endpoint needs no scope: every token may read whose it is.'),
  signIn: {
    authorize: 'https://airtable.com/oauth2/v1/authorize?response_type=code&scope=user.email:read',
    token: 'https://airtable.com/oauth2/v1/token',
    pkce: 'required',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: { id: 'usrL2PNC5o3H4lBEi', label: 'foo@bar.test' },
})
