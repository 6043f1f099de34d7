import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.typeform.com/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { user_id: '01EXAMPLE', alias: 'Ann', email: 'ann@acme.test', language: 'en' },
  bad: reply(401, { code: 'AUTHENTICATION_FAILED', description: 'Authentication failed' }),
  insufficient: reply(403, { code: 'AUTHENTICATION_FAILED', description: 'No permission' }),
  signIn: {
    authorize: 'https://api.typeform.com/oauth/authorize?scope=accounts:read+offline',
    token: 'https://api.typeform.com/oauth/token',
    offline: { scope: 'offline' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  identity: { id: '01EXAMPLE', label: 'Ann' },
})
