import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.freshbooks.com/auth/api/v1/users/me',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    response: {
      id: 12345,
      first_name: 'Ann',
      last_name: 'Acme',
      email: 'ann@acme.test',
      business_memberships: [],
    },
  },
  bad: reply(401, {
    error: 'unauthenticated',
    error_description: 'This action requires authentication to continue.',
  }),
  signIn: {
    authorize: 'https://auth.freshbooks.com/oauth/authorize/?response_type=code',
    token: 'https://api.freshbooks.com/auth/oauth/token',
    clientAuthentication: 'body',
  },
  identity: { id: '12345', label: 'ann@acme.test' },
})
