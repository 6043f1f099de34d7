import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://app.asana.com/api/1.0/users/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { data: { gid: '12345', name: 'Greg Sanchez', email: 'greg@acme.test', photo: null } },
  bad: reply(401, { errors: [{ message: 'Not Authorized' }] }),
  insufficient: reply(403, { errors: [{ message: 'Forbidden' }] }),
  signIn: {
    authorize: 'https://app.asana.com/-/oauth_authorize?response_type=code&scope=users:read',
    token: 'https://app.asana.com/-/oauth_token',
    revocation: 'https://app.asana.com/-/oauth_revoke',
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  identity: { id: '12345', label: 'greg@acme.test' },
})
