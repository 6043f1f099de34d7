import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.zendesk.com/api/v2/users/me.json',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    user: {
      id: 35436,
      name: 'Ann Acme',
      email: 'ann@acme.test',
      role: 'admin',
      photo: { content_url: 'https://acme.zendesk.com/photo.png' },
    },
  },
  bad: reply(401, { error: "Couldn't authenticate you" }),
  signIn: {
    authorize:
      'https://acme.zendesk.com/oauth/authorizations/new?response_type=code&scope=users:read',
    token: 'https://acme.zendesk.com/oauth/tokens',
    bodyFormat: 'json',
    clientAuthentication: 'body',
  },
  identity: {
    id: '35436',
    label: 'ann@acme.test',
    avatarUrl: 'https://acme.zendesk.com/photo.png',
  },
  types: {
    'Client Credentials': {
      sends: 'Authorization: Bearer ${token}',
      login: {
        endpoint: 'POST https://acme.zendesk.com/oauth/tokens',
        bad: reply(401, { error: 'invalid_client' }),
      },
    },
    'Api Key': { sends: 'Authorization: Basic ${email}/token:${api_token}' },
  },
})
