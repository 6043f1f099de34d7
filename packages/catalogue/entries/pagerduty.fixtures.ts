import { defineFixtures } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.pagerduty.com/abilities',
  sends: [
    'Authorization: Token token=${secret}',
    'Accept: application/vnd.pagerduty+json;version=2',
  ],
  good: { abilities: ['teams', 'urgencies'] },
  types: {
    OAuth2: {
      endpoint: 'GET https://api.pagerduty.com/users/me',
      sends: 'Authorization: Bearer ${secret}',
      signIn: {
        authorize:
          'https://identity.pagerduty.com/oauth/authorize?response_type=code&scope=users.read',
        token: 'https://identity.pagerduty.com/oauth/token',
        bodyFormat: 'form',
        clientAuthentication: 'body',
      },
      good: { user: { id: 'PXPGF42', name: 'Ann', email: 'ann@acme.test' } },
      identity: { id: 'PXPGF42', label: 'ann@acme.test' },
    },
  },
})
