import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://sentry.io/api/0/organizations/',
  sends: 'Authorization: Bearer ${secret}',
  good: [{ id: '7', slug: 'acme', name: 'Acme' }],
  bad: reply(401, { detail: 'Invalid token' }),
  insufficient: reply(403, { detail: 'You do not have permission to perform this action.' }),
  signIn: {
    authorize: 'https://sentry.io/oauth/authorize/?response_type=code&scope=org:read',
    token: 'https://sentry.io/oauth/token/',
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
})
