import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.bitbucket.org/2.0/user',
  sends: 'Authorization: Basic ${email}:${api_token}',
  good: {
    type: 'user',
    uuid: '{a54f16da-24e9-4d7f-a3a7-b1ba2cd98aa3}',
    display_name: 'Jo Doe',
    links: { avatar: { href: 'https://avatars.test/jo' } },
  },
  bad: reply(401, {
    type: 'error',
    error: { message: 'Token is invalid, expired, or not supported for this endpoint.' },
  }),
  insufficient: reply(403, {
    type: 'error',
    error: { message: 'Your credentials lack one or more required privilege scopes.' },
  }),
  signIn: {
    authorize: 'https://bitbucket.org/site/oauth2/authorize?response_type=code',
    token: 'https://bitbucket.org/site/oauth2/access_token',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: {
    id: '{a54f16da-24e9-4d7f-a3a7-b1ba2cd98aa3}',
    label: 'Jo Doe',
    avatarUrl: 'https://avatars.test/jo',
  },
  types: { OAuth2: { sends: 'Authorization: Bearer ${secret}' } },
})
