import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.zoom.us/v2/users/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 'z8dsdsdsdsdCfp8uQ', email: 'jill@acme.test', display_name: 'Jill Chill' },
  bad: reply(401, { code: 124, message: 'Invalid access token.' }),
  insufficient: reply(400, {
    code: 4711,
    message: 'Invalid access token, does not contain scopes:[user:read:user].',
  }),
  signIn: {
    authorize: 'https://zoom.us/oauth/authorize?response_type=code',
    token: 'https://zoom.us/oauth/token',
    revocation: 'https://zoom.us/oauth/revoke',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: { id: 'z8dsdsdsdsdCfp8uQ', label: 'jill@acme.test' },
  types: {
    'Server to Server': {
      sends: 'Authorization: Bearer ${token}',
      login: {
        endpoint: 'POST https://zoom.us/oauth/token',
        sends: 'Authorization: Basic ${client_id}:${client_secret}',
        bad: reply(400, { reason: 'Invalid client_id or client_secret', error: 'invalid_client' }),
      },
    },
  },
})
