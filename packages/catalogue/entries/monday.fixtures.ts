import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://api.monday.com/v2',
  sends: 'Authorization: ${secret}',
  good: { data: { me: { id: '4012689', name: 'Ann', email: 'ann@acme.test', photo_thumb: null } } },
  bad: reply(401, { errors: ['Not Authenticated'] }),
  insufficient: reply(200, {
    data: [],
    errors: [{ extensions: { code: 'UserUnauthorizedException', status_code: 403 } }],
  }),
  signIn: {
    authorize: 'https://auth.monday.com/oauth2/authorize?scope=me:read',
    token: 'https://auth.monday.com/oauth2/token',
    clientAuthentication: 'body',
    // Tokens do not end by themselves.
    good: { access_token: '${access_token}', token_type: 'Bearer', scope: '${scope}' },
  },
  identity: { id: '4012689', label: 'ann@acme.test' },
})
