import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.us.auth0.com/api/v2/clients?per_page=1&fields=client_id',
  sends: 'Authorization: Bearer ${token}',
  login: {
    endpoint: 'POST https://acme.us.auth0.com/oauth/token',
    bad: reply(401, { error: 'access_denied', error_description: 'Unauthorized' }),
  },
  good: [{ client_id: 'AaiyAPdpYdesoKnqjj8HJqRn4T5titww' }],
  insufficient: reply(403, {
    statusCode: 403,
    error: 'Forbidden',
    message: 'Insufficient scope, expected any of: read:clients',
    errorCode: 'insufficient_scope',
  }),
})
