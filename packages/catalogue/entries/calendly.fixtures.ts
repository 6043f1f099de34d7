import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.calendly.com/users/me',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    resource: {
      uri: 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA',
      name: 'Ann',
      email: 'ann@acme.test',
      avatar_url: 'https://avatars.test/7',
    },
  },
  bad: reply(401, { title: 'Unauthenticated', message: 'The access token is invalid' }),
  insufficient: reply(403, { title: 'Permission Denied', message: 'No permission.' }),
  signIn: {
    authorize: 'https://auth.calendly.com/oauth/authorize?response_type=code&scope=users:read',
    token: 'https://auth.calendly.com/oauth/token',
    revocation: 'https://auth.calendly.com/oauth/revoke',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: {
    id: 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA',
    label: 'ann@acme.test',
    avatarUrl: 'https://avatars.test/7',
  },
})
