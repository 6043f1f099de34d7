import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://connect.squareup.com/v2/merchants/me',
  sends: ['Authorization: Bearer ${secret}', 'Square-Version: 2026-01-22'],
  good: {
    merchant: { id: 'DM7VKY8Q63GNP', business_name: 'Acme', country: 'US', status: 'ACTIVE' },
  },
  bad: reply(401, {
    errors: [
      {
        category: 'AUTHENTICATION_ERROR',
        code: 'UNAUTHORIZED',
        detail: 'This request could not be authorized.',
      },
    ],
  }),
  insufficient: reply(403, {
    errors: [{ category: 'AUTHENTICATION_ERROR', code: 'INSUFFICIENT_SCOPES' }],
  }),
  limited: reply(429, { errors: [{ category: 'RATE_LIMIT_ERROR', code: 'RATE_LIMITED' }] }),
  signIn: {
    authorize:
      'https://connect.squareup.com/oauth2/authorize?scope=MERCHANT_PROFILE_READ&session=false',
    token: 'https://connect.squareup.com/oauth2/token',
    pkce: 'refused',
    bodyFormat: 'json',
    clientAuthentication: 'body',
  },
  identity: { id: 'DM7VKY8Q63GNP', label: 'Acme' },
})
