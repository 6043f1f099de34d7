import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.box.com/2.0/users/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { type: 'user', id: '11446498', name: 'Aaron Levie', login: 'ceo@acme.test' },
  bad: reply(401),
  insufficient: reply(403, {
    type: 'error',
    status: 403,
    code: 'access_denied_insufficient_permissions',
  }),
  signIn: {
    authorize: 'https://account.box.com/api/oauth2/authorize?response_type=code',
    token: 'https://api.box.com/oauth2/token',
    revocation: 'https://api.box.com/oauth2/revoke',
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  identity: { id: '11446498', label: 'ceo@acme.test' },
  types: {
    'Client Credentials': {
      sends: 'Authorization: Bearer ${token}',
      login: {
        endpoint: 'POST https://api.box.com/oauth2/token',
        bad: reply(400, { error: 'invalid_client' }),
      },
    },
  },
})
