import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.intercom.io/me',
  sends: ['Authorization: Bearer ${secret}', 'Intercom-Version: 2.14'],
  good: {
    type: 'admin',
    id: '991267459',
    email: 'ann@acme.test',
    name: 'Ann Acme',
    app: { type: 'app', id_code: 'abc', name: 'Acme', region: 'US' },
    avatar: { type: 'avatar', image_url: 'https://static.intercomassets.com/admins/128.png' },
  },
  bad: reply(401, {
    type: 'error.list',
    errors: [{ code: 'unauthorized', message: 'Access Token Invalid' }],
  }),
  signIn: {
    authorize: 'https://app.intercom.com/oauth',
    token: 'https://api.intercom.io/auth/eagle/token',
    clientAuthentication: 'body',
    // Tokens do not end by themselves.
    good: { access_token: '${access_token}', token: '${access_token}', token_type: 'Bearer' },
  },
  identity: {
    id: '991267459',
    label: 'ann@acme.test',
    avatarUrl: 'https://static.intercomassets.com/admins/128.png',
  },
})
